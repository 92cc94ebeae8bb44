// Pipes for the output of commands without a cell: one that opens its output again by its name (`echo x >/dev/stdout`) would cut a file, and what
// it printed before were lost (SPEC R17.2). Promises: every pipe serves one command, so that what one leaves behind never writes into the output of
// another. Leaves to others: reading them (output-pipes.ts). Node makes no pipe that can be opened again, so a program makes many at once.

import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Capture } from './capture.ts'
import { type OutputPipes, openOutputPipes, pipeNames } from './output-pipes.ts'
import { ownName } from './owned-names.ts'

export interface PlainPipes {
  /** To write to, for a child. */
  readonly stdout: number
  readonly stderr: number
  /** To be called once the child has them. */
  handOver(): void
  /** As of the pipes that are read. */
  finish(): ReturnType<OutputPipes['finish']>
  close(): void
}

// To make them takes as long as a small command.
const madeAtOnce = 32

const stocks = new Map<string, string[]>()

/**
 * @param folder private; what is in stock lies there
 * @returns undefined where none can be made
 */
export async function openPlainPipes(folder: string, capture: Capture): Promise<PlainPipes | undefined> {
  const names = capture.kind === 'apart' ? [pipeNames.output, pipeNames.errors] : [pipeNames.output]
  const made = await take(folder, names.length)
  if (made === undefined) return undefined
  // Below the name of the capture: what still holds an output is found by it.
  const own = `${capture.prefix}.pipes`
  const descriptors: number[] = []
  let read: OutputPipes | undefined
  const handOver = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  const close = () => {
    handOver()
    read?.close()
    rmSync(own, { recursive: true, force: true })
  }
  try {
    mkdirSync(own, { mode: 0o700 })
    for (const [index, path] of made.entries()) renameSync(path, join(own, names[index] ?? ''))
    read = openOutputPipes(own, capture, { leaveHeld: true })
    // They wait for nobody, since they are read.
    for (const name of names) descriptors.push(openSync(join(own, name), 'w'))
  } catch (error) {
    close()
    throw error
  }
  const [stdout = -1, stderr = stdout] = descriptors
  const { finish } = read
  return { stdout, stderr, handOver, finish, close }
}

async function take(folder: string, count: number): Promise<readonly string[] | undefined> {
  for (let tries = 0; tries < 2; tries += 1) {
    const stock = stocks.get(folder) ?? []
    if (stock.length >= count) return stock.splice(-count)
    const made = await makeMany(folder)
    // Of brokers that are closed; nothing of them is left.
    if (stocks.size > 50) stocks.clear()
    // Others may have waited as well.
    stocks.set(folder, [...(stocks.get(folder) ?? []), ...made])
  }
  return undefined
}

/** None where that fails. */
function makeMany(folder: string): Promise<readonly string[]> {
  const paths = Array.from({ length: madeAtOnce }, (_, index) => join(folder, `${ownName()}.pipe-${index}`))
  return new Promise(resolve => {
    const child = spawn('mkfifo', ['-m', '600', ...paths], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: 'ignore',
    })
    child.once('error', () => resolve([]))
    child.once('exit', code => resolve(code === 0 ? paths : []))
  })
}
