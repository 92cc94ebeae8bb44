// Names of skills: what the format allows (SPEC R2.6), what is loaded all the same, and what is near to a name.

/** `[a-z0-9-]`, 1 to 64, no hyphen at an edge and no two in a row. */
export function isValidName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
}

/**
 * Whether a name that breaks the format can still be typed and told apart: letters and digits of any script, `_`, `-`, `.`.
 * No blank (a typed name ends there), no colon (plugins own it), no `mcp__` (servers own it), no path.
 */
export function isUsableName(name: string): boolean {
  return name.length <= 255 && /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]*$/u.test(name) && !name.startsWith('mcp__')
}

/** A usable name made of any text; `skill` when nothing is left. */
export function slugName(text: string): string {
  const slug = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, 64)
    .replace(/^[-\p{M}]+|-+$/gu, '')
  return slug === '' ? 'skill' : slug
}

/** Up to five candidates that look like `name`, nearest first. */
export function nearNames(name: string, candidates: readonly string[]): readonly string[] {
  const wanted = name.slice(0, 64).toLowerCase()
  if (wanted === '') return []
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  return candidates
    .map(candidate => ({ candidate, distance: distanceOf(wanted, candidate.slice(0, 64).toLowerCase(), allowed) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance || compareBytes(a.candidate, b.candidate))
    .slice(0, 5)
    .map(({ candidate }) => candidate)
}

/** Order of UTF-16 units: the same on every machine, whatever its language. */
export function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function distanceOf(wanted: string, candidate: string, allowed: number): number {
  if (wanted === candidate) return 0
  // The part after `plugin:` or the beginning of a longer name is what people type.
  if (candidate.slice(candidate.lastIndexOf(':') + 1) === wanted) return 0
  if (wanted.length >= 3 && candidate.startsWith(wanted)) return 1
  if (Math.abs(wanted.length - candidate.length) > allowed) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: candidate.length + 1 }, (_, index) => index)
  for (let i = 1; i <= wanted.length; i++) {
    const next = [i]
    for (let j = 1; j <= candidate.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (wanted[i - 1] === candidate[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[candidate.length] ?? Number.POSITIVE_INFINITY
}
