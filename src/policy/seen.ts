// Whether a text came before, in a fixed number of bits. A text that comes once is not worth keeping: what is kept outlives the short
// life that the garbage collector is good at. Two texts may share a bit, so the answer can be yes one time too early, never too late.

const bits = 65_536
// A table that is too full says yes to everything.
const maxMarked = bits / 8

export class Seen {
  readonly #marks = new Uint8Array(bits)
  #marked = 0

  /** Whether the text was asked about before; from now on it was. */
  before(text: string): boolean {
    let hash = 0
    for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
    const place = (hash ^ (hash >>> 16)) & (bits - 1)
    if (this.#marks[place] === 1) return true
    if (this.#marked >= maxMarked) {
      this.#marks.fill(0)
      this.#marked = 0
    }
    this.#marks[place] = 1
    this.#marked += 1
    return false
  }
}
