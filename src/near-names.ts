// What to say of a name that is not among those there are: what may have been meant, or all there are. Pure.

import { editDistance } from './edit-distance.ts'

/** `did you mean "plugin"?` where names are near, else `there are "a", "b"`. @param prefix stands before each name */
export function nearNames(unknown: string, known: readonly string[], prefix = ''): string {
  const near = known.filter(name => editDistance(unknown.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3))
  const there = (near.length > 0 ? near : known).map(name => `"${prefix}${name}"`).join(', ')
  return near.length > 0 ? `did you mean ${there}?` : `there are ${there}`
}
