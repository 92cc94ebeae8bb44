// find: its roots are paths, its expression is an accept list. -exec is accepted only for a command that itself only reads, given
// the found file as a path, and only behind a top-level `-type f`: a found link could lead out of the workspace.

import { execEnd } from '../bash/unwrap.ts'
import { foundFile, knownStart, type ShellWord, shownWord } from '../bash/words.ts'
import type { ReadOnlyAnswer } from './read-only.ts'
import type { CommandTables } from './tables.ts'
import { wordProblem } from './word-kinds.ts'

const signs: ReadonlySet<string> = new Set(['(', ')', '!', ','])

export function findAnswer(
  words: readonly ShellWord[],
  { options, expression }: CommandTables['find'],
  classify: (words: readonly ShellWord[]) => ReadOnlyAnswer,
): ReadOnlyAnswer {
  const paths: ShellWord[] = []
  let index = 1
  for (; options.rows.has(words[index]?.value ?? ''); index++);
  for (; index < words.length; index++) {
    const root = words[index]
    if (!root || startsExpression(root)) break
    if (root.value === undefined && couldBecomeExpression(root)) return refuse(`"${root.text}" of "find" could become an expression`)
    paths.push(root)
  }
  let depth = 0
  let negated = false
  // Set by `-type f` where every file that goes on has passed it.
  let onlyFiles = false
  for (; index < words.length; index++) {
    const word = words[index]
    const name = word?.value
    if (!word || name === undefined) return refuse(`"${word?.text ?? ''}" of "find" is not known`)
    if (name === '-exec') {
      const end = execEnd(words, index)
      if (!onlyFiles || depth > 0 || negated)
        return refuse('"-exec" of "find" needs "-type f" before it, outside of brackets and without "-o"')
      const problem = execProblem(words.slice(index + 1, end), words[end]?.value === '+', paths, classify)
      if (problem) return refuse(problem)
      index = end
      continue
    }
    if (name === '(') depth += 1
    if (name === ')') depth -= 1
    if (signs.has(name)) {
      if (name === ',') onlyFiles = false
      negated = name === '!'
      continue
    }
    const row = expression.rows.get(name)
    if (!row) return refuse(`"find" with "${name}" is not in the read-only set`)
    if (name === '-o' || name === '-or') onlyFiles = false
    if (row.takes === 'value') {
      index += 1
      const value = words[index]
      if (!value) return refuse(`"${name}" of "find" has no value`)
      const problem = wordProblem(value, row.kind, paths)
      if (problem) return refuse(`"${name}" of "find" ${problem}`)
      if (name === '-type' && value.value === 'f' && depth === 0 && !negated) onlyFiles = true
    }
    negated = name === '-not'
  }
  return { ok: true, paths }
}

function refuse(reason: string): ReadOnlyAnswer {
  return { ok: false, reason }
}

function startsExpression({ value }: ShellWord): boolean {
  return value !== undefined && (value.startsWith('-') || signs.has(value))
}

function couldBecomeExpression(root: ShellWord): boolean {
  const start = knownStart(root)
  return start === '' || start.startsWith('-') || root.pieces.some(piece => piece.type === 'unknown' && !piece.quoted)
}

function execProblem(
  inner: readonly ShellWord[],
  several: boolean,
  paths: ShellWord[],
  classify: (words: readonly ShellWord[]) => ReadOnlyAnswer,
): string | undefined {
  const files: ShellWord[] = []
  const words = inner.map(word => {
    if (word.value !== '{}') return word
    const file = foundFile(several, word.position)
    files.push(file)
    return file
  })
  const mixed = words.find(word => word.value?.includes('{}'))
  if (mixed) return `"${shownWord(mixed)}" of "-exec" is not the found file alone`
  const found = classify(words)
  if (!found.ok) return `-exec of "find": ${found.reason}`
  if (found.usesRepository) return '-exec of "find" reads repositories'
  if (!files.every(file => found.paths.includes(file))) return '-exec of "find" takes the found name for something else than a path'
  paths.push(...found.paths.filter(path => !files.includes(path)))
  return undefined
}
