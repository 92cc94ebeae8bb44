// The result of the Skill tool (SPEC R9.4): the prompt of a skill, or a note when the conversation has that very text already.

import { createHash } from 'node:crypto'
import type { ExpansionResult } from './events.ts'

/** What a conversation has been shown of each skill. One that was shortened begins with new ones. */
export interface ShownTexts {
  /** The result of the tool: the whole prompt, or only a note when the very same text was given before. */
  answer(expansion: Pick<ExpansionResult, 'skill' | 'prompt'>): string
}

// A conversation that activates more different texts than this shows some of them twice.
const maxShown = 10_000

export function createShownTexts(): ShownTexts {
  const hashes = new Set<string>()
  return {
    answer: ({ skill, prompt }) => {
      const head = `[Skill "${skill}" activated]`
      const hash = createHash('sha256').update(`${skill}\0${prompt}`).digest('hex')
      if (hashes.has(hash)) return `${head}\n\nIts text is the same as before and stands above: follow that.`
      if (hashes.size >= maxShown) hashes.clear()
      hashes.add(hash)
      return `${head}\n\n${prompt}`
    },
  }
}
