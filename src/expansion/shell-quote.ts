// Writes a value as shell text that stands for exactly that value, in each kind of place.

/** One word, whatever the value holds. */
export function asWord(value: string): string {
  return `'${insideSingleQuotes(value)}'`
}

/** For a place between double quotes. */
export function insideDoubleQuotes(value: string): string {
  return value.replace(/[\\"$`]/g, sign => `\\${sign}`)
}

/** For the text of a here-document whose delimiter is not quoted. */
export function insideHereDocument(value: string): string {
  return value.replace(/[\\$`]/g, sign => `\\${sign}`)
}

/** For a place between single quotes: closed, escaped, reopened. */
export function insideSingleQuotes(value: string): string {
  return value.replaceAll("'", "'\\''")
}

/** A value that means itself in every place of every shell and most languages: no quote, blank, sign or pattern in it. */
export function isPlain(value: string): boolean {
  return /^[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+,-]*$/.test(value)
}
