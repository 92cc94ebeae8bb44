// What `cd` and its relatives do to the folder that the following commands run in.

import type { ShellWord } from '../bash/words.ts'
import { type Ends, type Flow, same } from './flow.ts'
import { resolveDirectory } from './paths.ts'

/** Whether a text can hold a `cd`: then folders have to be followed. */
export function mayChangeDirectory(text: string): boolean {
  return (text.includes('cd') || text.includes('push') || text.includes('pop')) && /\b(cd|pushd|popd)\b/.test(text)
}

/** Where the shell stands after a command: elsewhere after `cd`, `pushd` and `popd` that succeeded. */
export function afterCommand(words: readonly ShellWord[], flow: Flow, home: string): Ends {
  const names = words.map(word => word.value)
  while (names[0] === 'command' || names[0] === 'builtin') names.shift()
  const name = names.shift()
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return same(flow)
  while (/^-[LPe@]+$/.test(names[0] ?? '') || names[0] === '--') names.shift()
  const target = words.at(-1)
  const goesHome = name === 'cd' && names.length === 0
  let to: readonly string[] | undefined
  if (goesHome) to = [home]
  else if (name !== 'popd' && names.length === 1 && target && !/^[-+]\d*$/.test(target.value ?? ''))
    to = flow.directories && resolveDirectory(target, flow.directories, home)
  return { success: { ...flow, directories: to }, failure: flow }
}
