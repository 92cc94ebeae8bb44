// A short way through the simplest frontmatter: lines of `key: value` in which YAML has nothing to decide. Gives exactly the
// fields that the long way gives (a property test compares them), or undefined at the first line that is not that simple.
// Four of five heads are simple, and at the start of a process the YAML library is most of the cost of a list.

import { type Field, fieldName, isKnownField } from './field.ts'

// What follows the key may be anything but a tab, a control or a special line end.
const simpleLine = /^([a-z][A-Za-z_-]{0,60}): +([^\t\p{Cc}\u2028\u2029\ufeff]+)$/u

/**
 * The fields of a simple block, which stands at `base` of the whole; undefined when YAML has to read it.
 * With `readHint` the one `argument-hint` is not for YAML: it comes last, as `readHint` reads its source.
 */
export function parsePlainLines(source: string, base = 0, readHint?: (source: string) => string): Field[] | undefined {
  const fields: Field[] = []
  let hint: Field | undefined
  for (let start = 0; start < source.length; ) {
    const newline = source.indexOf('\n', start)
    const end = newline === -1 ? source.length : newline
    if (end > start && source.charCodeAt(start) !== 0x23) {
      const match = simpleLine.exec(source.slice(start, end))
      const [, written, rest] = match ?? []
      if (written === undefined || rest === undefined) return undefined
      const offset = base + end - rest.length
      if (readHint !== undefined && isHint(written)) {
        // With the blank before it: YAML wants one behind a colon.
        const text = readHint(` ${rest}`)
        if (hint !== undefined || text === '') return undefined
        hint = { name: 'argument-hint', written, offset, shape: 'text', text, items: noItems, value: () => text }
      } else {
        const field = readValue(written, rest.trimEnd(), offset)
        if (field === undefined) return undefined
        fields.push(field)
      }
    }
    start = end + 1
  }
  if (hint !== undefined) fields.push(hint)
  return fields
}

function isHint(written: string): boolean {
  return written === 'argument-hint' || written === 'argument_hint' || written === 'argumentHint'
}

const noItems: readonly never[] = []
const nothing = (): null => null

function readValue(written: string, text: string, offset: number): Field | undefined {
  const name = fieldName(written)
  if (text.startsWith('"')) {
    const inside = text.slice(1, -1)
    if (text.length < 2 || !text.endsWith('"') || inside.includes('"') || inside.includes('\\')) return undefined
    return { name, written, offset, shape: 'text', text: inside, items: noItems, value: () => inside }
  }
  // Begins with a letter or digit: no sign of YAML.
  if (!/^[A-Za-z0-9]/.test(text) || text.includes(': ') || text.includes(' #') || text.endsWith(':')) return undefined
  if (/^(?:null|Null|NULL)$/.test(text)) return { name, written, offset, shape: 'null', text: '', items: noItems, value: nothing }
  // Fields of others keep the value of YAML: what may be a number or a boolean is for it to say.
  if ((!isKnownField(name) || name === 'metadata') && !/^(?!(?:true|false)$)[A-Za-z]/i.test(text)) return undefined
  return { name, written, offset, shape: 'text', text, items: noItems, value: () => text }
}
