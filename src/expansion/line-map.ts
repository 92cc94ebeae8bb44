// Turns offsets into lines and columns of the file. Built at the first question: most expansions ask none.

export class LineMap {
  readonly #text: string
  readonly #firstLine: number
  #starts: number[] | undefined

  /** `firstLine`: line of the file on which the text begins, from 1. */
  constructor(text: string, firstLine: number) {
    this.#text = text
    this.#firstLine = firstLine
  }

  /** Both count from 1; a column is a UTF-16 unit. */
  at(offset: number): { readonly line: number; readonly column: number } {
    this.#starts ??= lineStarts(this.#text)
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: this.#firstLine + low, column: offset - (this.#starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) starts.push(index + 1)
  return starts
}
