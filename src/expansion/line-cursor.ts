// A place in one line of Markdown. Tabs reach to the next multiple of four columns, and a block may take only a part of one.

export class LineCursor {
  position: number
  readonly end: number
  readonly #text: string
  #column = 0
  // Columns of a tab that a container took only in part.
  #pending = 0

  constructor(text: string, start: number, end: number) {
    this.#text = text
    this.position = start
    this.end = end
  }

  /** Columns of white space ahead, and where the first other character stands. */
  indent(): { readonly columns: number; readonly next: number } {
    let columns = this.#pending
    let column = this.#column + this.#pending
    let next = this.position
    for (; next < this.end; next += 1) {
      const character = this.#text[next]
      const width = character === ' ' ? 1 : character === '\t' ? 4 - (column % 4) : 0
      if (width === 0) break
      columns += width
      column += width
    }
    return { columns, next }
  }

  /** Takes up to `count` columns of white space. */
  skipColumns(count: number): void {
    let left = count
    const pending = Math.min(left, this.#pending)
    this.#pending -= pending
    this.#column += pending
    left -= pending
    while (left > 0 && this.position < this.end) {
      const character = this.#text[this.position]
      if (character !== ' ' && character !== '\t') return
      const width = character === ' ' ? 1 : 4 - (this.#column % 4)
      const taken = Math.min(width, left)
      this.position += 1
      this.#column += taken
      this.#pending = width - taken
      left -= taken
    }
  }

  /** Takes characters that are no white space, such as a list marker. */
  skipCharacters(count: number): void {
    this.position += count
    this.#column += count
    this.#pending = 0
  }

  /** Columns of a half-taken tab, which stand before the rest of the line as blanks. */
  get pendingColumns(): number {
    return this.#pending
  }

  get isBlank(): boolean {
    return this.indent().next >= this.end
  }
}
