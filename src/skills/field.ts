// One field of a frontmatter as it stands in the file, before anybody asks what it means. Offsets count in the block.

export interface Field {
  /** Kebab-case: `allowed_tools`, `allowedTools` and `allowed-tools` are one field (SPEC R2.2). */
  readonly name: string
  /** The key as written. */
  readonly written: string
  /** Where the value begins, in the block. */
  readonly offset: number
  /**
   * `text`: the value of a quoted or block scalar, and the source of a plain one. `raw`: strict YAML could not read it
   * and `text` is the source; only text fields and tool lists may use it (SPEC R2.5).
   */
  readonly shape: 'text' | 'null' | 'list' | 'map' | 'raw'
  readonly text: string
  readonly items: readonly FieldItem[]
  /** As YAML reads it, for fields that are kept and for hooks. */
  readonly value: () => unknown
  readonly problem?: YamlProblem
}

export interface FieldItem {
  /** As written; absent when the item is no scalar. */
  readonly text?: string
  /** `name` of an item that is a map. */
  readonly name?: string
}

export interface YamlProblem {
  readonly message: string
  /** In the block. */
  readonly offset: number
  /** No second try can help: the block is too large, or not a map. */
  readonly isFinal?: boolean
}

export interface Place {
  readonly block: string
  readonly firstLine: number
  readonly path: string
}

const knownFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'when-to-use',
  'version',
  'license',
  'compatibility',
  'metadata',
  'user-invocable',
  'disable-model-invocation',
  'argument-hint',
  'arguments',
  'arguments-base',
  'context',
  'agent',
  'model',
  'effort',
  'allowed-tools',
  'disallowed-tools',
  'shell',
  'paths',
  'hooks',
])

// Of agents and of other hosts. In a broken block they end a value, as our own do.
const foreignFields: ReadonlySet<string> = new Set(
  'author tags category keywords tools color skills memory mode background isolation max-turns permission-mode mcp-servers args'.split(' '),
)

/** The one name of a key in any of its three spellings. `Context:` is none of them: it is mostly a word of a text. */
export function fieldName(written: string): string {
  if (knownFields.has(written)) return written
  const first = written.charCodeAt(0)
  if (first < 0x61 || first > 0x7a) return written
  return written
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[_ ]/g, '-')
    .toLowerCase()
}

/** Lines as one, blanks at their edges gone. Linear, however many blanks there are. */
export function joinLines(source: string): string {
  return source
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ')
}

/** Whether a line `name: …` of a broken block is a key, and not a line of the text before it. */
export function endsText(name: string): boolean {
  return knownFields.has(name) || foreignFields.has(name)
}

export function isKnownField(name: string): boolean {
  return knownFields.has(name)
}

/** Line and column in the file, and the line itself with a mark below the place. */
export function describeLine({ block, firstLine }: Place, offset: number): { line: number; column: number; shown: string } {
  const at = Math.min(Math.max(offset, 0), block.length)
  const start = block.lastIndexOf('\n', at - 1) + 1
  const end = block.indexOf('\n', start)
  let line = firstLine
  for (let next = block.indexOf('\n'); next !== -1 && next < start; next = block.indexOf('\n', next + 1)) line++
  const text = block.slice(start, end === -1 ? block.length : end)
  const column = at - start + 1
  // A long line is cut around the place, or the message would be as long as the block.
  const from = Math.max(0, column - 61)
  const part = text.slice(from, from + 120).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  const margin = `  ${line} | `
  return { line, column, shown: `\n${margin}${part}\n${' '.repeat(margin.length + column - 1 - from)}^` }
}
