// Reads the text of a git configuration file as git does: sections, quotes, escapes, continued lines, comments. Pure. Promises: every value that
// git would read up to the first fault is given, in its order. Leaves to others: includes, and what a key means.

export interface GitValue {
  /** `section.key` or `section.Name of it.key`; section and key in lower case. */
  readonly key: string
  /** Undefined for a key without `=`, which stands for true. */
  readonly value: string | undefined
}

export function readGitConfig(content: string): GitValue[] {
  const text = `${content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')}\n`
  const found: GitValue[] = []
  let section = ''
  let position = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match !== null) position = pattern.lastIndex
    return match
  }
  for (;;) {
    take(blank)
    if (position >= text.length) return found
    const head = take(sectionHead)
    if (head !== null) {
      const [, name = '', subsection] = head
      section = name.toLowerCase() + (subsection === undefined ? '' : `.${subsection.replaceAll(/\\(.)/g, '$1')}`)
      continue
    }
    const name = take(keyName)?.[1]
    if (name === undefined) return found
    const key = `${section}${section && '.'}${name.toLowerCase()}`
    if (take(/\n/y) !== null) found.push({ key, value: undefined })
    else {
      const value = take(/=/y) === null ? undefined : readValue(text, position)
      // Git stops at a fault, and does not work in that repository.
      if (value === undefined) return found
      found.push({ key, value: value.text })
      position = value.end
    }
  }
}

// What git takes for blank; other white space is text.
const blank = /(?:[ \t\r\n]|[#;][^\n]*)*/y
const sectionHead = /\[([A-Za-z\d.-]+)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y
const keyName = /([A-Za-z][A-Za-z\d-]*)[ \t]*/y

const escapes: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' }

/** Undefined for a fault. */
function readValue(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let value = ''
  // Blanks count between other characters only, unless they are quoted.
  let blanks = ''
  let quoted = false
  for (let position = from; position < text.length; position += 1) {
    const character = text.charAt(position)
    if (character === '\n') return quoted ? undefined : { text: value, end: position + 1 }
    if (!quoted && (character === ' ' || character === '\t' || character === '\r')) {
      if (value !== '') blanks += character
      continue
    }
    if (!quoted && (character === '#' || character === ';')) {
      return { text: value, end: text.indexOf('\n', position) + 1 }
    }
    value += blanks
    blanks = ''
    if (character === '"') quoted = !quoted
    else if (character !== '\\') value += character
    else {
      position += 1
      const next = text.charAt(position)
      const meant = next === '\n' ? '' : escapes[next]
      if (meant === undefined) return undefined
      value += meant
    }
  }
  // A line that goes on, and then the file ends.
  return quoted ? undefined : { text: value, end: text.length }
}
