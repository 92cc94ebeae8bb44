// `test` and `[`: strings, numbers and files are compared; -v and -R read their operand as code and are refused.

import { type ShellWord, shownWord, splits } from '../bash/words.ts'
import type { ReadOnlyAnswer } from './read-only.ts'

const stringTests: ReadonlySet<string> = new Set(['-n', '-z', '-t', '-o'])
const fileTests: ReadonlySet<string> = new Set('-a -b -c -d -e -f -g -h -k -L -N -O -G -p -r -s -S -u -w -x'.split(' '))
const binaryTests: ReadonlySet<string> = new Set('= == != < > -eq -ne -lt -le -gt -ge'.split(' '))
const binaryFileTests: ReadonlySet<string> = new Set(['-nt', '-ot', '-ef'])

/** Up to four arguments have fixed meanings, so words that are not known may stand in operand places; longer ones must be known. */
export function testAnswer(words: readonly ShellWord[]): ReadOnlyAnswer {
  let parts = words.slice(1)
  if (words[0]?.value === '[') {
    if (parts.at(-1)?.value !== ']') return { ok: false, reason: '"[" without its "]"' }
    parts = parts.slice(0, -1)
  }
  const split = parts.find(word => splits(word) && !isFileOfLoop(word))
  if (split) return { ok: false, reason: `"${split.text}" could become several words: quote it` }
  const paths: ShellWord[] = []
  const problem = parts.length > 4 ? longProblem(parts, paths) : shortProblem(parts, paths)
  return problem === undefined ? { ok: true, paths } : { ok: false, reason: problem }
}

/** The value of a loop over file names: not known, but one word. */
function isFileOfLoop({ pieces }: ShellWord): boolean {
  return pieces.every(piece => piece.type === 'literal' || (piece.type === 'glob' && piece.setInText === true))
}

function shortProblem(parts: readonly ShellWord[], paths: ShellWord[]): string | undefined {
  const [first, second, third] = parts
  if (!first || !second) return undefined
  if (parts.length === 3 && third && second.value !== undefined) {
    if (binaryTests.has(second.value)) return undefined
    if (binaryFileTests.has(second.value)) {
      paths.push(first, third)
      return undefined
    }
    if (second.value === '-a' || second.value === '-o') return undefined
  }
  if (first.value === '!') return shortProblem(parts.slice(1), paths)
  if (parts.length === 2 && first.value !== undefined) {
    if (stringTests.has(first.value)) return undefined
    if (fileTests.has(first.value)) {
      paths.push(second)
      return undefined
    }
  }
  return `the test "${parts.map(shownWord).join(' ')}" is not in the read-only set`
}

function longProblem(parts: readonly ShellWord[], paths: ShellWord[]): string | undefined {
  for (const [index, part] of parts.entries()) {
    if (part.value === undefined) return `"${part.text}" stands in a test of more than four words`
    if (part.value === '-v' || part.value === '-R') return `"${part.value}" of a test reads its operand as code`
    const next = parts[index + 1]
    if (fileTests.has(part.value) && part.value !== '-a' && next) paths.push(next)
    const before = parts[index - 1]
    if (binaryFileTests.has(part.value) && before && next) paths.push(before, next)
  }
  return undefined
}
