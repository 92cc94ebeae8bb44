// What an unquoted glob names on the disk right now, within a small budget. What it cannot finish is not known.

import { readdirSync } from 'node:fs'
import picomatch from 'picomatch'
import type { ShellWord } from '../bash/words.ts'
import type { DiskLooks } from './disk-looks.ts'

const maxEntries = 2_000

/**
 * Absolute paths that a word of literals and globs expands to in a folder, as bash would (hidden files only by a literal dot,
 * `**` as `*`). Undefined when the word holds anything else, could become an option, or is too large to look through.
 * A glob without a match stays as written, as in bash.
 */
export function expandGlob(word: ShellWord, directory: string, home: string, looks: DiskLooks): readonly string[] | undefined {
  // Braces in a glob (`[{a,b}]`) are expanded before it is read.
  if (word.pieces.some(piece => piece.type === 'unknown' || (piece.type === 'glob' && piece.text.includes('{')))) return undefined
  const pattern = word.pieces
    .map(piece =>
      piece.type === 'literal' ? piece.value.replace(/[\\*?[\]{}()!+@|^$]/g, '\\$&') : piece.type === 'glob' ? piece.text : '',
    )
    .join('')
  const absolute =
    word.tilde && pattern.startsWith('~/') ? `${home}${pattern.slice(1)}` : pattern.startsWith('/') ? pattern : `${directory}/${pattern}`
  if (word.tilde && !pattern.startsWith('~/')) return undefined
  return looks.once(`glob ${directory}\n${absolute}`, looksOfGlob, undefined, () => filesOf(absolute, word, directory, looks))
}

// To compile a pattern takes as long as some looks.
const looksOfGlob = 8
const entriesPerLook = 16

function filesOf(absolute: string, word: ShellWord, directory: string, looks: DiskLooks): readonly string[] | undefined {
  const parts = absolute.split('/').filter(part => part !== '')
  let found = ['']
  let budget = maxEntries
  for (const part of parts) {
    const next: string[] = []
    if (!/[*?[]/.test(part.replace(/\\./g, ''))) {
      for (const folder of found) next.push(`${folder}/${part.replace(/\\(.)/g, '$1')}`)
      found = next
      continue
    }
    const isMatch = picomatch(part.replace(/\*+/g, '*').replaceAll('[!', '[^'), {
      dot: part.startsWith('.'),
      noextglob: true,
      nobrace: true,
      nonegate: true,
    })
    for (const folder of found) {
      const names = namesIn(folder === '' ? '/' : folder)
      if (!looks.spend(1 + Math.ceil(names.length / entriesPerLook))) return undefined
      for (const name of names) {
        if (--budget < 0) return undefined
        if (isMatch(name)) next.push(`${folder}/${name}`)
      }
    }
    found = next
  }
  const first = word.pieces[0]
  // A file named `-o` would be an option.
  if (first?.type === 'glob' && found.some(path => path.slice(directory.length + 1).startsWith('-'))) return undefined
  return found.length > 0 ? found : [absolute.replace(/\\(.)/g, '$1')]
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not a folder, or not readable: bash finds nothing there either
  }
}
