// Reads arguments from a file or stdin, byte for byte, up to a limit. An interrupt ends the wait.

import { createReadStream } from 'node:fs'
import { messageOf, SkillcellError } from '../errors.ts'

/** @throws {SkillcellError} USAGE if it cannot be read or is too large. */
export async function readInput(file: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const stream = file === '-' ? process.stdin : createReadStream(file)
  const stop = (): void => void stream.destroy()
  signal.addEventListener('abort', stop, { once: true })
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    signal.throwIfAborted()
    throw new SkillcellError('USAGE', `Cannot read the arguments from ${file === '-' ? 'stdin' : `"${file}"`}: ${messageOf(cause)}`, {
      cause,
    })
  } finally {
    signal.removeEventListener('abort', stop)
    stream.destroy()
  }
  signal.throwIfAborted()
  return Buffer.concat(chunks)
}
