// A set of names written as a list: exact ones, and those with a `*` at one end.

export interface NameSet {
  readonly exact: ReadonlySet<string>
  readonly beginnings: readonly string[]
  readonly endings: readonly string[]
}

/** Reads names that white space separates. `*` alone is every name. */
export function readNames(list: string): NameSet {
  const all = list.split(/\s+/).filter(Boolean)
  return {
    exact: new Set(all.filter(name => !name.includes('*'))),
    beginnings: all.filter(name => name.endsWith('*')).map(name => name.slice(0, -1)),
    endings: all.filter(name => name.startsWith('*') && name.length > 1).map(name => name.slice(1)),
  }
}

export function holdsName({ exact, beginnings, endings }: NameSet, name: string): boolean {
  return exact.has(name) || beginnings.some(beginning => name.startsWith(beginning)) || endings.some(ending => name.endsWith(ending))
}
