// How far two words are from each other, to say what somebody may have meant. Pure, and bounded: only the first 64 letters of `a` count.

/** Letters to insert, delete or replace. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a.slice(0, 64)].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (b[j] === letter ? 0 : 1)))
    row = next
  }
  return row.at(-1) ?? 0
}
