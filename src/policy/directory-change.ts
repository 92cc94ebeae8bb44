// What `cd` and its relatives do to the folder that the following commands run in.

import { forEachChildNode, type SyntaxNode } from '../bash/parse.ts'
import type { ShellWord } from '../bash/words.ts'
import type { DiskLooks } from './disk-looks.ts'
import { type Ends, type Flow, merge, same } from './flow.ts'
import { resolveDirectory } from './paths.ts'

/** Whether a text can hold a `cd`: then folders have to be followed. */
export function mayChangeDirectory(text: string): boolean {
  if ((text.includes('cd') || text.includes('push') || text.includes('pop')) && changing.test(text)) return true
  // `c"d"`, `c\d` and `$'\x63d'` are cd as well.
  return hiding.test(text) && (/\$'[^']*\\/.test(text) || changing.test(text.replace(/\\\n|["'\\]/g, '')))
}

const changing = /\b(cd|pushd|popd)\b/
const hiding = /["'\\]/

/** Where the shell stands after a command: elsewhere after `cd`, `pushd` and `popd` that succeeded. */
export function afterCommand(words: readonly ShellWord[], flow: Flow, home: string, looks: DiskLooks): Ends {
  const names = words.map(word => word.value)
  while (names.length > 0 && passedOver.has(names[0] ?? '')) names.shift()
  const name = names.shift()
  // What they run may end anywhere.
  if (name === 'eval' || name === 'source' || name === '.') return same({ ...flow, directories: undefined })
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return same(flow)
  while (/^-[LPe@]+$/.test(names[0] ?? '') || names[0] === '--') names.shift()
  const target = words.at(-1)
  const goesHome = name === 'cd' && names.length === 0
  let to: readonly string[] | undefined
  if (goesHome) to = [home]
  else if (name !== 'popd' && names.length === 1 && target && !/^[-+]\d*$/.test(target.value ?? ''))
    to = flow.directories && resolveDirectory(target, flow.directories, home, looks)
  return { success: { ...flow, directories: to }, failure: flow }
}

const passedOver: ReadonlySet<string> = new Set(['command', 'builtin', '-p', '--'])

/** The same for a command that is read in several ways, one for each value of a loop's variable. */
export function afterEach(commands: readonly { readonly words: readonly ShellWord[] }[], flow: Flow, home: string, looks: DiskLooks): Ends {
  const [first, ...others] = commands.map(({ words }) => afterCommand(words, flow, home, looks))
  if (!first) return same(flow)
  return others.reduce(
    (ends, other) => ({ success: merge(ends.success, other.success), failure: merge(ends.failure, other.failure) }),
    first,
  )
}

/** Whether a `cd` in a node leaves the shell itself elsewhere: one in a subshell or a substitution does not. */
export function changesDirectory(root: SyntaxNode, source: string): boolean {
  let found = false
  forEachChildNode(root, child => {
    if (found || child.type === 'Subshell' || child.type === 'Script') return
    found = child.type === 'Command' ? mayChangeDirectory(ownText(child, source)) : changesDirectory(child, source)
  })
  return found
}

/** The text of a command without the substitutions in it. */
function ownText(command: SyntaxNode, source: string): string {
  let text = source.slice(command.pos, command.end)
  const cut = (node: SyntaxNode): void =>
    forEachChildNode(node, child => {
      if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution')
        text = text.replace(source.slice(child.pos, child.end), () => '$')
      else cut(child)
    })
  cut(command)
  return text
}
