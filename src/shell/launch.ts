// How script, parameters and variables reach the shell: as arguments and environment where they are short, else by private files.
// Values are data all the way: a fixed prelude reads them, they are never shell text. `$0` is the name of the shell, errors read as of `bash -c`.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandRequest } from './command.ts'
import type { Environment } from './environment.ts'

export interface Launch {
  /** Arguments of the shell, without its own name. */
  readonly arguments: readonly string[]
  readonly environment: Environment
}

// Linux takes 128 KiB in one string and about 2 MiB in all; other systems take 1 MiB in all. Well below both.
const maxStringBytes = 100_000
const maxTotalBytes = 500_000

// Sourced by bash through BASH_ENV before the command, so that line numbers and messages stay those of the script.
const bashPrelude = `unset BASH_ENV
while IFS= read -r -d '' __skillcell_value; do set -- "$@" "$__skillcell_value"; done <"$__skillcell_inputs/parameters"
while IFS= read -r -d '' __skillcell_name && IFS= read -r -d '' __skillcell_value; do
  printf -v "$__skillcell_name" %s "$__skillcell_value"
done <"$__skillcell_inputs/variables"
unset -v __skillcell_name __skillcell_value
export -n __skillcell_inputs
`

const sourceScript = '. "$__skillcell_inputs/script"'

export interface InputFolder {
  /** Does not exist yet; it is made, private, only when a file is needed, and removed by the caller. */
  readonly path: string
  /** How the command sees it. */
  readonly seenAs: string
}

/** Lays the inputs out. */
export function prepareLaunch(request: CommandRequest, environment: Environment, folder: InputFolder): Launch {
  return request.shell === 'bash' ? launchBash(request, environment, folder) : launchSh(request, environment, folder)
}

function launchBash(request: CommandRequest, environment: Environment, folder: InputFolder): Launch {
  const { script, parameters, variables } = request
  const options = ['--norc', '--noprofile']
  const variableNames = Object.keys(variables)
  const long = !fits([script, ...parameters])
  if (!long && variableNames.length === 0) return { arguments: [...options, '-c', '--', script, 'bash', ...parameters], environment }

  const inputs = createInputs(folder)
  inputs.write('prelude', bashPrelude)
  inputs.write('parameters', long ? parameters.map(value => `${value}\0`).join('') : '')
  inputs.write(
    'variables',
    Object.entries(variables)
      .flatMap(entry => entry.map(part => `${part}\0`))
      .join(''),
  )
  // A script that is too long is sourced: `bash FILE` would give `$0` another value.
  const text = fits([script]) ? script : sourceScript
  if (text !== script) inputs.write('script', script)
  return {
    arguments: [...options, '-c', '--', text, 'bash', ...(long ? [] : parameters)],
    environment: { ...environment, BASH_ENV: join(folder.seenAs, 'prelude'), __skillcell_inputs: folder.seenAs },
  }
}

// A plain sh reads no start-up file, so its prelude stands on the first line of the script: line numbers stay right.
function launchSh(request: CommandRequest, environment: Environment, folder: InputFolder): Launch {
  const { script, parameters, variables } = request
  const inputs = createInputs(folder)
  const shortParameters = fits(parameters)
  const shortScript = fits([script])
  const values: (readonly [string | undefined, string])[] = Object.entries(variables)
  if (!shortParameters) values.push(...parameters.map(value => [undefined, value] as const))
  if (!shortScript) values.push(['__skillcell_inputs', inputs.write('script', script)])
  const added: Record<string, string> = {}
  let prelude = ''
  let room = maxTotalBytes
  for (const [index, [name, value]] of values.entries()) {
    const holder = `__skillcell_${index}`
    room -= Buffer.byteLength(value)
    const short = room > 0 && fits([value])
    added[holder] = short ? value : inputs.write(String(index), value)
    // The x keeps trailing newlines, which a substitution would cut.
    if (!short) prelude += `${holder}=$(cat "$${holder}" && echo x); ${holder}=\${${holder}%x}; `
    prelude += name === undefined ? `set -- "$@" "$${holder}"; ` : `${name}=$${holder}; `
    prelude += `unset ${holder}; `
  }
  const text = prelude + (shortScript ? script : '. "$__skillcell_inputs"')
  return { arguments: ['-c', '--', text, 'sh', ...(shortParameters ? parameters : [])], environment: { ...environment, ...added } }
}

function createInputs({ path: folder, seenAs }: InputFolder): { write(name: string, text: string): string } {
  let exists = false
  return {
    write(name, text) {
      if (!exists) mkdirSync(folder, { mode: 0o700 })
      exists = true
      writeFileSync(join(folder, name), text, { mode: 0o600, flag: 'wx' })
      return join(seenAs, name)
    },
  }
}

function fits(strings: readonly string[]): boolean {
  // Each string costs a byte for its end and a pointer beside its own.
  const sizes = strings.map(text => Buffer.byteLength(text) + 9)
  return sizes.every(size => size <= maxStringBytes) && sizes.reduce((sum, size) => sum + size, 0) <= maxTotalBytes
}
