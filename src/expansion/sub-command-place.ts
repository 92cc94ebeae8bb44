// Programs of many commands (git, npm, docker): where a sub-command is said, and before it, an argument would choose what the program
// does, up to running code (`git -c alias.z=!…`). What stands behind it is data.

import { compileOptions, type OptionSpec, parseOptions } from '../bash/option-spec.ts'
import { literalWord } from '../bash/words.ts'
import { wrapperForm } from '../bash/wrappers.ts'
import type { CommandWord } from './code-readers.ts'

/** Those without a row in bash/wrappers.ts. */
const others: ReadonlySet<string> = new Set(
  'deno gh glab cargo go dotnet composer gem helm nerdctl docker-compose lxc incus vagrant svn hg jj brew aws gcloud az'.split(' '),
)
const noOptions = compileOptions('')

// The values of these are data, whatever they are.
const dataOptions: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['git', new Set(['-C'])],
  ...['kubectl', 'oc'].map((name): [string, ReadonlySet<string>] => [name, new Set(['-n', '--namespace', '--context'])]),
  ...['npm', 'pnpm', 'yarn'].map((name): [string, ReadonlySet<string>] => [name, new Set(['-w', '--workspace', '-F', '--filter'])]),
])

/** Why a program may not take an argument before its sub-command or in its place; undefined when it may, and for other programs. */
export function subCommandRefusal(name: string, operands: readonly CommandWord[]): string | undefined {
  const words = [literalWord(name), ...operands]
  let row = name
  let from = 1
  for (let options = optionsOf(row); options; options = optionsOf(row)) {
    const { next, unknown, options: given } = parseOptions(words, options, { from, stopAtOperand: true })
    // An option that is not known may take the next word.
    const end = unknown.length > 0 ? next + 1 : next
    const data = new Set(given.flatMap(each => (dataOptions.get(name)?.has(each.row.name) && each.value ? [each.value] : [])))
    const tainted = operands.slice(from - 1, end).find(word => word.tainted && !(data.has(word) && !word.list))
    if (tainted) return `An argument may not choose what \`${row}\` does: give it a sub-command before \`${tainted.text}\``
    row += ` ${words[next]?.value ?? ''}`
    from = next + 1
  }
  return undefined
}

function optionsOf(row: string): OptionSpec | undefined {
  const form = wrapperForm(row)
  if (form?.subCommands) return form.options
  return others.has(row) ? noOptions : undefined
}
