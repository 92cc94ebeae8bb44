// Where a path really leads, and whether a file rule matches it. Decides on the real path: the kernel's, not a cleaned-up text,
// since `link/..` is the parent of what the link points at.

import { realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, normalize, relative, resolve } from 'node:path'
import picomatch from 'picomatch'
import { knownStart, type ShellWord } from '../bash/words.ts'
import { isSystemError } from '../errors.ts'
import { isInside } from '../inside.ts'
import type { DiskLooks } from './disk-looks.ts'
import { expandGlob } from './glob.ts'
import type { OpenText, PatternPiece } from './match.ts'
import type { Rule } from './rule.ts'

/** A path as written (made absolute) and as it really is. */
export interface ResolvedPath {
  readonly written: string
  readonly real: string
}

/** The absolute path of a known word in a folder; undefined when it cannot be known (`~other`, an expansion). Not normalised. */
export function absolutePath(word: ShellWord, directory: string, home: string): string | undefined {
  if (word.value === undefined) return undefined
  return absoluteText(word.value, word.tilde, directory, home)
}

function absoluteText(text: string, tilde: boolean, directory: string, home: string): string | undefined {
  if (tilde && text.startsWith('~')) return text === '~' || text.startsWith('~/') ? `${home}${text.slice(1)}` : undefined
  return isAbsolute(text) ? text : `${directory}/${text}`
}

/** Resolves every link of the part that exists; the rest is taken as it stands. */
export function resolvePath(path: string): ResolvedPath {
  return { written: normalize(path), real: realPath(path) }
}

const maxParts = 256

/** `goOn` is asked before each step up. */
export function realPath(path: string, goOn: () => boolean = () => true): string {
  let head = path
  const tail: string[] = []
  for (let parts = 0; parts < maxParts; parts++) {
    if (parts > 0 && !goOn()) return `/unreadable/${path}`
    try {
      const real = realpathSync.native(head)
      return tail.length === 0 ? real : resolve(real, ...tail.reverse())
    } catch (error) {
      // A loop or a folder that may not be read leads nowhere that a rule could allow.
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) return `/unreadable/${head}`
      const end = head.replace(/\/+$/, '').lastIndexOf('/')
      if (end < 0) return resolve(path)
      tail.push(head.replace(/\/+$/, '').slice(end + 1))
      head = end === 0 ? '/' : head.slice(0, end)
    }
  }
  return resolve(path)
}

/** The folders that a `cd` leads to. */
export function resolveDirectory(
  word: ShellWord,
  directories: readonly string[],
  home: string,
  looks: DiskLooks,
): readonly string[] | undefined {
  const found = new Set<string>()
  for (const directory of directories) {
    const path = absolutePath(word, directory, home)
    // A glob leads to one of the folders that it names now.
    const paths = path === undefined ? expandGlob(word, directory, home, looks)?.filter(each => looks.isFolder(each)) : [path]
    if (!paths) return undefined
    // bash takes `..` off the text, with -P off the real path: it may be either.
    for (const each of paths) {
      if (!looks.spend(looksOfChange + Math.floor(each.length / 64))) return undefined
      found.add(looks.realPath(normalize(each))).add(looks.realPath(each))
    }
  }
  if (looks.areSpent) return undefined
  return found.size === 0 || found.size > maxFolders ? undefined : [...found]
}

// The folders of all commands behind it grow with each.
const looksOfChange = 8

// A command is looked at in each of them.
const maxFolders = 32

/** Whether a path is a folder now; one that is not known may be. */
export function isFolder(path: string | undefined): boolean {
  return path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

export interface FileRuleContext {
  readonly workspace: string
  readonly home: string
}

interface FileMatcher {
  readonly base: string
  readonly realBase: string
  readonly matches: (path: string) => boolean
}

/**
 * Whether a file rule covers a path. gitignore-style (SPEC R5.6): `//abs`, `~/`, `/` is the root of the rule, else relative to the
 * workspace; a bare name and, for deny and ask, `name/**` at any depth; a folder covers what is in it.
 * Allow needs the real path; deny and ask fire on the path as written or the real one.
 */
export function fileRuleMatches(rule: Rule, kind: 'allow' | 'deny', path: ResolvedPath, context: FileRuleContext): boolean {
  if (!rule.specifier) return true
  const matcher = matcherOf(rule, kind, context)
  if (matches(matcher, path.real)) return true
  return kind === 'deny' && matches(matcher, path.written)
}

function matches(matcher: FileMatcher, path: string): boolean {
  for (const base of matcher.base === matcher.realBase ? [matcher.base] : [matcher.base, matcher.realBase])
    if (isInside(path, base) && matcher.matches(relative(base, path))) return true
  return false
}

/** A deny rule as a pattern of open text, for words whose value is not known: could they name a path that it covers? */
export function openFilePattern(rule: Rule, context: FileRuleContext): readonly PatternPiece[] {
  if (!rule.specifier) return ['*']
  const { base, pattern } = anchored(rule, context)
  const anyDepth = isBareName(pattern) || isFolderAtAnyDepth(pattern)
  const text = pattern
    .replace(/^\.\//, '')
    .replace(/\/\*\*$/, '/*')
    .replaceAll('**/', '*')
  return [{ literal: base === '/' ? '/' : `${base}/` }, anyDepth ? `*${text}` : text.replace(/\*+/g, '*')]
}

/** What an unknown word may name, as absolute open text. */
export function openPath(word: ShellWord, directory: string, home: string): OpenText {
  const start = knownStart(word)
  const absolute = start === '' ? undefined : absoluteText(start, word.tilde, directory, home)
  const pieces = word.pieces.map(piece => (piece.type === 'literal' ? piece.value : undefined))
  // `~-/x` and `~other/x`: some folder.
  if (absolute === undefined && start !== '') return [undefined, ...start.split(/(?=\/)/).slice(1), ...pieces.slice(countStart(word))]
  if (absolute === undefined) return word.pieces[0]?.type === 'glob' ? [`${directory}/`, ...pieces] : pieces
  return [normalizeStart(absolute), ...pieces.slice(countStart(word))]
}

function normalizeStart(path: string): string {
  return path.endsWith('/') ? `${normalize(path)}`.replace(/\/*$/, '/') : normalize(path)
}

function countStart(word: ShellWord): number {
  const first = word.pieces.findIndex(piece => piece.type !== 'literal')
  return first < 0 ? word.pieces.length : first
}

const matchers = new WeakMap<Rule, Map<string, FileMatcher>>()

function matcherOf(rule: Rule, kind: 'allow' | 'deny', context: FileRuleContext): FileMatcher {
  const key = `${kind}\n${context.workspace}\n${context.home}`
  const known = matchers.get(rule)?.get(key)
  if (known) return known
  const { base, pattern } = anchored(rule, context)
  const globs = /^(\.\/)?\*\*$|^$/.test(pattern) ? ['**'] : globsOf(pattern, kind)
  const isMatch = picomatch(
    globs.flatMap(glob => [glob, `${glob}/**`]),
    { dot: true, noextglob: true, nonegate: true },
  )
  const matcher: FileMatcher = {
    base,
    realBase: realPath(base),
    matches: path => (globs[0] === '**' ? true : path !== '' && isMatch(path)),
  }
  const ofRule = matchers.get(rule) ?? new Map<string, FileMatcher>()
  matchers.set(rule, ofRule.set(key, matcher))
  return matcher
}

function globsOf(pattern: string, kind: 'allow' | 'deny'): readonly string[] {
  const clean = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  if (isBareName(pattern)) return [`**/${clean}`]
  if (kind === 'deny' && isFolderAtAnyDepth(pattern)) return [clean, `**/${clean}`]
  return [clean]
}

function isBareName(pattern: string): boolean {
  return !pattern.replace(/\/+$/, '').includes('/')
}

function isFolderAtAnyDepth(pattern: string): boolean {
  return /^(?!\.\.?\/)[^/]+\/\*\*$/.test(pattern)
}

function anchored(rule: Rule, { workspace, home }: FileRuleContext): { base: string; pattern: string } {
  const pieces = rule.specifier ?? []
  const text = pieces
    .map(piece => (typeof piece === 'string' ? piece.replace(/[()!+@]/g, '\\$&') : piece.literal.replace(/[\\*?[\]{}()!+@|^$]/g, '\\$&')))
    .join('')
  const first = pieces[0]
  // A placeholder at the beginning is an absolute folder.
  if (text.startsWith('//') || (typeof first !== 'string' && first?.literal.startsWith('/')))
    return { base: '/', pattern: fixed(text.replace(/^\/+/, '')) }
  if (text.startsWith('~/')) return { base: home, pattern: fixed(text.slice(2)) }
  if (text.startsWith('/')) return { base: rule.root, pattern: fixed(text.slice(1)) }
  if (text.startsWith('../')) return { base: dirname(workspace), pattern: fixed(text.slice(3)) }
  return { base: workspace, pattern: text }
}

/** Counts from its base: not at any depth, as a bare name does. */
function fixed(pattern: string): string {
  return pattern === '' ? '' : `./${pattern}`
}
