// What the command line prints: results to stdout, everything else to stderr. With --json stdout has JSON alone.
// A reader that goes away is no error; text of skills and commands cannot move the cursor.

import { shorten } from '../cut-text.ts'
import type { Diagnostic } from '../errors.ts'
import { visibleText } from '../visible-text.ts'

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
}

/** Resolves when the stream can take more: a slow reader holds us back instead of filling memory. */
export function print(text: string): Promise<void> | undefined {
  return process.stdout.write(`${text}\n`) ? undefined : drained()
}

export function printJson(value: unknown): Promise<void> | undefined {
  return print(JSON.stringify(value))
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Colour, where a person looks and did not ask for none. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  if (!stream.isTTY || process.env.NO_COLOR || process.env.TERM === 'dumb') return text
  const [on, off] = codes[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

/** One line of text that is safe on a terminal. */
export function oneLine(text: string): string {
  return visibleText(text.replace(/[\t\r\n]+/g, ' ').trim())
}

/** Lines of text that are safe on a terminal, blanks kept: a caret stands under its place. */
export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map(line => visibleText(line.replaceAll('\t', ' ')).trimEnd())
    .join('\n')
}

/** A prompt or the text of a skill: as it is for a program that reads it, safe for a person. */
export function printText(text: string): Promise<void> | undefined {
  return print(process.stdout.isTTY ? safeLines(text) : text)
}

/** What went wrong, on stderr. */
export function noteFailure(code: string, message: string): void {
  note(`${styled('red', `${code}:`, process.stderr)} ${safeLines(message)}`)
}

/** Columns of equal width; on a terminal a line each: no column but the last takes more than half of it, and the last what is left. */
export function table(rows: readonly (readonly string[])[]): string {
  // A terminal that does not know its width says 0.
  const room = process.stdout.isTTY ? (process.stdout.columns || 80) - 1 : Number.POSITIVE_INFINITY
  const half = Math.floor(room / 2)
  const cells = rows.map(row => row.map(oneLine).map((cell, column) => (column === row.length - 1 ? cell : shorten(cell, half))))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)))
  return cells
    .map(row => cut(row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 2))).join(''), room))
    .join('\n')
}

export function diagnosticLine(
  { severity, message, code, path, line, column }: Diagnostic,
  stream: NodeJS.WriteStream = process.stderr,
): string {
  const place = path === undefined ? '' : ` (${[oneLine(path), line, column].filter(part => part !== undefined).join(':')})`
  const style = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim'
  // What follows the first line shows the place: the line of the file and a caret under it.
  const [first = '', ...shown] = message.split('\n')
  const below = shown.filter(each => each.trim() !== '').map(each => `\n    ${safeLines(each)}`)
  return `${styled(style, severity, stream)}: ${oneLine(first)} [${code}]${place}${below.join('')}`
}

export function noteDiagnostics(diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) note(diagnosticLine(diagnostic))
}

function cut(text: string, room: number): string {
  return shorten(text.trimEnd(), room)
}

/** Also when the reader has gone away: then nothing drains any more. */
function drained(): Promise<void> | undefined {
  const { stdout } = process
  if (stdout.destroyed || !stdout.writableNeedDrain) return undefined
  return new Promise(resolve => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error']) stdout.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'error']) stdout.on(event, done)
  })
}
