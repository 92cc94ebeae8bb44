// The name of a skill in a nested folder when its own is taken: `dir:name` (SPEC R10.2). Pure. The folder may be called anything, and the
// name goes into listings, rules and typed text: so it is slugged as names of commands are, bounded, and made unlike all that are taken.

import { isUsableName, slugName } from './names.ts'

const maxPrefixChars = 64

/** `folder` is relative to the workspace, with `/`. No prefix of `reserved` is given: rules for all of a plugin go by it. */
export function nestedName(folder: string, id: string, isTaken: (name: string) => boolean, reserved: ReadonlySet<string>): string {
  const prefix = prefixOf(folder)
  for (let count = 1; ; count++) {
    const own = count === 1 ? prefix : `${prefix}-${count}`
    const name = `${own}:${id}`
    if (!reserved.has(own) && !isTaken(name)) return name
  }
}

/** The last folders that fit: those next to the skill tell most. */
function prefixOf(folder: string): string {
  const parts = folder.split('/').map(part => (part.length <= maxPrefixChars && isUsableName(part) ? part : slugName(part)))
  let prefix = parts.at(-1) ?? slugName('')
  for (const part of parts.slice(0, -1).reverse()) {
    if (prefix.length + 1 + part.length > maxPrefixChars) break
    prefix = `${part}/${prefix}`
  }
  return prefix
}
