// What one decision sees of the disk: each place is looked at once, and there is an end to it, since a decision has bounded time.
// Behind the end nothing is known: whoever asks gets an answer that no rule allows, and the judge asks a person.

import { lstatSync } from 'node:fs'
import { normalize } from 'node:path'
import { isFolder, type ResolvedPath, realPath } from './paths.ts'

/** Looks at the disk, and comparisons that take as long, that one decision may make. */
export const maxLooks = 2_000

export class DiskLooks {
  #left = maxLooks
  // Most decisions look at nothing.
  #real: Map<string, string> | undefined
  #answers: Map<string, unknown> | undefined

  /** Whether there was more to look at than there may be. */
  get areSpent(): boolean {
    return this.#left < 0
  }

  /** Takes note of work. False when it is too much: then it is left out. */
  spend(looks: number): boolean {
    this.#left -= this.#left < 0 ? 0 : looks
    return this.#left >= 0
  }

  /** Resolves every link of the part that exists; the rest is taken as it stands. */
  resolvePath(path: string): ResolvedPath {
    return { written: normalize(path), real: this.realPath(path) }
  }

  realPath(path: string): string {
    this.#real ??= new Map()
    const known = this.#real.get(path)
    if (known !== undefined) return known
    const real = path.length < maxPathChars && this.spend(1) ? this.#look(path) : `/unreadable/${path}`
    this.#real.set(path, real)
    return real
  }

  isFolder(path: string | undefined): boolean {
    return path === undefined || this.once(`folder ${path}`, 1, true, () => isFolder(path))
  }

  /** The answer of `look`, which is asked once for each key; `unknown` when it would be one look too many. */
  once<T>(key: string, looks: number, unknown: T, look: () => T): T {
    // Each key belongs to one question, which has one type of answer.
    this.#answers ??= new Map()
    if (this.#answers.has(key)) return this.#answers.get(key) as T
    const answer = this.spend(looks) ? look() : unknown
    this.#answers.set(key, answer)
    return answer
  }

  // Many words name files of few folders: a folder is resolved once, and what it holds is then a single question that does not throw.
  #look(path: string): string {
    const slash = path.lastIndexOf('/')
    const name = path.slice(slash + 1)
    const folder = path.slice(0, slash)
    if (slash <= 0 || name === '' || name === '.' || name === '..' || folder.endsWith('/')) return this.#walk(path)
    let real = this.#real?.get(folder)
    if (real === undefined) {
      real = this.#walk(folder)
      this.#real?.set(folder, real)
    }
    if (real.startsWith('/unreadable/')) return this.#walk(path)
    const own = real === '/' ? `/${name}` : `${real}/${name}`
    try {
      return lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink() === true ? this.#walk(path) : own
    } catch {
      return this.#walk(path)
    }
  }

  // What is not there is found out step by step.
  #walk(path: string): string {
    return realPath(path, () => this.spend(1))
  }
}

// The kernel takes none that is longer.
const maxPathChars = 4_096
