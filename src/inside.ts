// Whether a path lies in a folder, read off the two texts. Promises the same answer for each way to write a path (a slash at the end, `.`,
// `..`). Leaves to others: links; whoever decides by it gives real paths.

import { relative } from 'node:path'

/** Both absolute. A folder lies in itself. */
export function isInside(path: string, folder: string): boolean {
  // Nearly all: policy asks this for each rule of a path, and a full look costs ten times as much.
  if (isPlain(path) && isPlain(folder)) return path === folder || path.startsWith(`${folder}/`)
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith('../')
}

/** Whether there is no other way to write it. `/.git` may be another; the full look tells. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !path.endsWith('/') && !path.includes('//') && !path.includes('/.')
}
