// Reads what a user typed: `/name arguments` (SPEC R9.1).

export interface Slash {
  readonly name: string
  /** As typed, blanks at the edges gone. */
  readonly args: string
}

export interface StackedSlash {
  readonly names: readonly string[]
  /** Goes to every one of them. */
  readonly args: string
}

const maxStacked = 6

/** The name ends at white space. Undefined when the text is no call. */
export function parseSlash(text: string): Slash | undefined {
  const typed = text.trim()
  const name = /^\/(\S+)/.exec(typed)?.[1]
  return name === undefined ? undefined : { name, args: typed.slice(name.length + 1).trim() }
}

/** `/a /b text`: the first name and up to five more for which `isStackable` holds; what follows is the text of all. */
export function parseStackedSlash(text: string, isStackable: (name: string) => boolean): StackedSlash | undefined {
  const first = parseSlash(text)
  if (first === undefined) return undefined
  const names = [first.name]
  let args = first.args
  while (names.length < maxStacked && isStackable(first.name)) {
    const next = parseSlash(args)
    if (!args.startsWith('/') || next === undefined || !isStackable(next.name)) break
    names.push(next.name)
    args = next.args
  }
  return { names, args }
}
