// The output of a command that may open it again by its name (`echo x >/dev/stderr`), which would cut a file: it goes through pipes that our own
// process reads, so that nothing in the cell can stop or kill the reader (SPEC R17.2). Promises: when `finish` resolves, all that was written is
// in the capture, or what is missing is said. Leaves to others: who makes the pipes, and the limit of the output.

import { chmodSync, closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import type { Capture } from './capture.ts'

/** Pipes of a cell, in its folder: one command at a time writes to them. */
export const pipeNames = { output: 'output-pipe', errors: 'errors-pipe' } as const

export interface OutputPipes {
  /** To be called when the command has ended. What is missing of its output, for people. */
  finish(): Promise<string | undefined>
  close(): void
}

export interface PipeOptions {
  /** They are of one command alone: whoever still holds one has left it, which is no fault, and is not waited for. */
  readonly leaveHeld?: boolean
}

// Whoever was handed our pipe by a command, over a socket in the workspace, could hold it for ever.
const heldMs = 1_000
const leaveMs = 50

/** @throws {Error} when the pipes are no longer what they were. */
export function openOutputPipes(folder: string, capture: Capture, options: PipeOptions = {}): OutputPipes {
  const readers: Reader[] = []
  const close = () => {
    for (const reader of readers) reader.close()
  }
  try {
    readers.push(openReader(join(folder, pipeNames.output), capture.stdout, options))
    if (capture.kind === 'apart') readers.push(openReader(join(folder, pipeNames.errors), capture.stderr, options))
  } catch (error) {
    close()
    throw error
  }
  return {
    async finish() {
      const problems = await Promise.all(readers.map(reader => reader.finish()))
      return problems.find(problem => problem !== undefined)
    },
    close,
  }
}

interface Reader {
  finish(): Promise<string | undefined>
  close(): void
}

function openReader(path: string, target: number, { leaveHeld = false }: PipeOptions): Reader {
  // A command may have changed the mode of its own output.
  chmodSync(path, 0o600)
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  // It keeps the pipe from its end until the command has ended.
  let keeper: number | undefined
  let socket: Socket
  try {
    if (!fstatSync(descriptor).isFIFO()) throw new Error(`"${path}" is no pipe`)
    keeper = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    // From here on nobody takes out of it by its name.
    chmodSync(path, 0o200)
    socket = new Socket({ fd: descriptor, readable: true, writable: false })
  } catch (error) {
    for (const opened of [descriptor, keeper]) if (opened !== undefined) closeSync(opened)
    throw error
  }
  let problem: string | undefined
  const ended = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.on('error', error => {
    problem ??= `Output is missing: it could not be read: ${messageOf(error)}`
  })
  const save = (bytes: Buffer) => {
    if (problem !== undefined) return
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(target, bytes, done)
    } catch (error) {
      problem = `Output is missing: it could not be saved: ${messageOf(error)}`
    }
  }
  socket.on('data', save)
  const letGo = () => {
    if (keeper !== undefined) closeSync(keeper)
    keeper = undefined
  }
  return {
    async finish() {
      letGo()
      const timer = setTimeout(
        () => {
          if (leaveHeld) for (const bytes of lyingIn(descriptor)) save(bytes)
          else problem ??= 'Output may be missing: a process of another command holds it open'
          socket.destroy()
        },
        leaveHeld ? leaveMs : heldMs,
      )
      await ended
      clearTimeout(timer)
      return problem
    },
    close() {
      letGo()
      socket.destroy()
    },
  }
}

/** What is in a pipe now; no pipe holds more. */
function* lyingIn(descriptor: number): Generator<Buffer> {
  for (let left = 1024 * 1024; left > 0; ) {
    const bytes = Buffer.allocUnsafe(64 * 1024)
    let length = 0
    try {
      length = readSync(descriptor, bytes)
    } catch {
      // Empty, and somebody may still write.
    }
    if (length === 0) return
    left -= length
    yield bytes.subarray(0, length)
  }
}
