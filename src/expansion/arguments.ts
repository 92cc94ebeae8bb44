// Splits typed arguments into words, as a shell would, without expanding anything (SPEC R3.5).

const blank = /[ \t\n\r\f\v]/

/**
 * Quotes group, a backslash takes the meaning of the next character (in double quotes only of `"` and `\`), an empty quoted argument
 * counts, and an unclosed quote takes the rest. Any text is accepted.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (blank.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "'") {
      const close = text.indexOf("'", index + 1)
      const end = close === -1 ? text.length : close
      word = (word ?? '') + text.slice(index + 1, end)
      index = end
    } else if (character === '"') {
      const quoted = readDoubleQuoted(text, index + 1)
      word = (word ?? '') + quoted.value
      index = quoted.end
    } else if (character === '\\' && index + 1 < text.length) {
      index += 1
      word = (word ?? '') + text[index]
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return words
}

function readDoubleQuoted(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = ''
  let index = start
  for (; index < text.length && text[index] !== '"'; index += 1) {
    const next = text[index + 1]
    if (text[index] === '\\' && (next === '"' || next === '\\')) index += 1
    value += text[index]
  }
  return { value, end: index }
}
