// Programs that start the program named by their operands: env, timeout, xargs and the like.

import type { CommandWord } from './code-readers.ts'

export interface WrappedCommand {
  /** Options and operands of the wrapper itself. */
  readonly skipped: readonly CommandWord[]
  /** The inner command. */
  readonly words: readonly CommandWord[]
  /** `xargs -I{}`: what stands for the input. */
  readonly replaced?: string
}

interface Wrapper {
  /** Options that take the next word. */
  readonly values: RegExp
  /** Operands before the program. */
  readonly operands: number
}

const none = /^$/
const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ['env', { values: /^(?:-[uCS]|--(?:unset|chdir|split-string))$/, operands: 0 }],
  ['sudo', { values: /^-[ugpCchTDRrt]$/, operands: 0 }],
  ['doas', { values: /^-[uC]$/, operands: 0 }],
  ['nice', { values: /^(?:-n|--adjustment)$/, operands: 0 }],
  ['nohup', { values: none, operands: 0 }],
  ['timeout', { values: /^(?:-[ks]|--(?:kill-after|signal))$/, operands: 1 }],
  ['gtimeout', { values: /^(?:-[ks]|--(?:kill-after|signal))$/, operands: 1 }],
  ['stdbuf', { values: /^-[ioe]$/, operands: 0 }],
  ['setsid', { values: none, operands: 0 }],
  ['ionice', { values: /^-[cnpPu]$/, operands: 0 }],
  ['chrt', { values: /^-[TPDp]$/, operands: 1 }],
  ['taskset', { values: none, operands: 1 }],
  ['time', { values: /^-[fo]$/, operands: 0 }],
  ['command', { values: none, operands: 0 }],
  ['builtin', { values: none, operands: 0 }],
  ['exec', { values: /^-a$/, operands: 0 }],
  ['chronic', { values: none, operands: 0 }],
  ['unbuffer', { values: none, operands: 0 }],
  ['caffeinate', { values: /^-[tw]$/, operands: 0 }],
  ['xargs', { values: /^(?:-[aEIdLnPs]|--(?:arg-file|delimiter|max-lines|max-args|max-procs|max-chars|replace))$/, operands: 0 }],
])

/** Takes the wrapper off; undefined if `name` is none. */
export function peelWrapper(name: string, operands: readonly CommandWord[]): WrappedCommand | undefined {
  const wrapper = wrappers.get(name)
  if (!wrapper) return undefined
  // `command -v NAME` only looks the name up.
  if (name === 'command' && /^-[pvV]*[vV]/.test(operands[0]?.value ?? '')) return { skipped: [], words: [] }
  let index = 0
  let left = wrapper.operands
  let replaced: string | undefined
  for (; index < operands.length; index += 1) {
    const word = operands[index]
    const text = word?.value ?? word?.start ?? ''
    if (text.startsWith('-') && text !== '-') {
      if (name === 'env' && /^(?:-S|--split-string)/.test(text)) return { skipped: operands, words: [] }
      if (name === 'xargs' && text.startsWith('-I')) replaced = text.length > 2 ? text.slice(2) : operands[index + 1]?.value
      if (wrapper.values.test(text)) index += 1
    } else if (name === 'env' && word && isHarmlessSetting(word)) continue
    else if (left > 0) left -= 1
    else break
  }
  const skipped = operands.slice(0, index).filter(word => !(name === 'env' && isHarmlessSetting(word)))
  return { skipped, words: operands.slice(index), ...(replaced ? { replaced } : {}) }
}

/** `NAME=value` with a plain lower-case or own name; a value given to PATH and its like is not. */
function isHarmlessSetting({ start, list }: CommandWord): boolean {
  const name = /^([A-Za-z_]\w*)=/.exec(start)?.[1]
  return (
    name !== undefined && !list && !/^(?:PATH|IFS|ENV|LD_|DYLD_|BASH|GIT_|NODE_|PYTHON|PERL|RUBY|PS\d|SHELL|EDITOR|VISUAL|PAGER)/.test(name)
  )
}
