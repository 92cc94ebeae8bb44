// What a cell says: the lines of its shell host, the report of bubblewrap. Promises: memory stays bounded, whoever writes.

import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** A line of `times`, as `0m1.234s 0m0.056s`; the last one before the end is that of the children. */
export function secondsIn(line: string): number {
  let sum = 0
  for (const [, minutes, seconds = '', part] of line.matchAll(/(\d+)m(\d+)[.,](\d+)s/g))
    sum += Number(minutes) * 60 + Number(`${seconds}.${part}`)
  return sum
}

export function readLines(stream: Socket, give: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    // A host that was taken over could send for ever without an end of line.
    if (rest.length > 1_000) stream.destroy()
    for (const line of parts) give(line)
  })
}

/** bubblewrap reports in several JSON documents; the first one names processes and name spaces. */
export function firstDocument(stream: Readable): Promise<string> {
  return new Promise(resolve => {
    let text = ''
    const finish = () => resolve(text.slice(0, text.indexOf('}') + 1) || '{}')
    stream.on('error', finish).on('end', finish)
    stream.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length < 10_000) text += piece
      if (text.includes('}')) finish()
    })
  })
}
