// The words of the first simple command of a text, read as the product reads them.

import { parseBash } from '../../src/bash/parse.ts'
import { readWord, type ShellWord } from '../../src/bash/words.ts'

export function wordsOf(command: string): readonly ShellWord[] {
  const { script, problems } = parseBash(command)
  const node = script.commands[0]?.command
  if (node?.type !== 'Command' || !node.name || problems.length > 0) throw new Error(`The test text "${command}" is no simple command`)
  return [
    readWord(node.name),
    ...node.args.map(argument => (argument.type === 'Word' ? readWord(argument) : assignmentWord(argument.text))),
  ]
}

function assignmentWord(text: string): ShellWord {
  const known = !/[$`]/.test(text)
  const [name = ''] = text.split('=', 1)
  return {
    text,
    value: known ? text.replace(/["']/g, '') : undefined,
    pieces: known
      ? [{ type: 'literal', value: text.replace(/["']/g, '') }]
      : [
          { type: 'literal', value: `${name}=` },
          { type: 'unknown', text, syntax: 'Assignment', quoted: true },
        ],
    tilde: false,
    position: 0,
  }
}
