// The rules about files that a command fires, itself or through what it starts: redirections, operands, folders that it reads whole.

import { readsRecursively } from './danger.ts'
import { type FileContext, type FileRefusal, firedByFolders, firedByWord, judgeRedirection } from './file-access.ts'
import { allLevels, type Level } from './levels.ts'
import { placeOf } from './reading.ts'
import type { CommandTables } from './tables.ts'

/** A Read or Edit rule of deny or ask; a deny before an ask. */
export function levelRefusal(level: Level, context: FileContext & { readonly tables: CommandTables }): FileRefusal | undefined {
  let found: FileRefusal | undefined
  for (const each of allLevels(level)) {
    for (const redirection of each.command.redirections) {
      const { refusal } = judgeRedirection(redirection, each.command, context)
      if (refusal?.decision === 'deny') return refusal
      found ??= refusal
    }
    // Of a program whose operands are known only those that are paths; of any other every word that could be one.
    const known = each.facts.reads
    const words = known.ok ? known.paths : each.words.slice(1)
    const directories = placeOf(known, each.command.directories, context)
    for (const word of words) {
      const refusal = firedByWord(word, directories, context)
      if (refusal?.decision === 'deny') return refusal
      found ??= refusal
    }
    if (readsRecursively(each.words, context.tables)) found ??= firedByFolders(words, directories, context)
  }
  return found
}
