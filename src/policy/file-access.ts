// The file rules (SPEC R5.6) for what commands name: redirections and path operands. The file tools ask the same questions.

import { relative } from 'node:path'
import { knownStart, type ShellWord, unknownWord, wordFrom } from '../bash/words.ts'
import { isInside } from '../inside.ts'
import { protectedPlace } from '../protected-places.ts'
import type { SimpleCommand } from './command.ts'
import type { FileRedirection } from './command-words.ts'
import type { DiskLooks } from './disk-looks.ts'
import { expandGlob } from './glob.ts'
import { compilePattern, couldMatch, type OpenText } from './match.ts'
import { absolutePath, type FileRuleContext, fileRuleMatches, openFilePattern, openPath, type ResolvedPath } from './paths.ts'
import type { Rule } from './rule.ts'
import type { RuleSet } from './ruleset.ts'

export interface FileContext extends FileRuleContext {
  readonly rules: RuleSet
  /** Real paths of folders that may be read: the workspace and what was added. */
  readonly readDirectories: readonly string[]
  /** Called before the disk is looked at: the answer then holds for now only. */
  readonly onDisk: () => void
  readonly looks: DiskLooks
}

export type Access = 'read' | 'write'

export interface FileRefusal {
  readonly decision: 'deny' | 'ask'
  readonly reason: string
  readonly rule?: Rule
}

/** A deny or ask rule that an access to a path fires. A rule that denies reading denies writing too. */
export function firedByPath(access: Access, path: ResolvedPath, context: FileContext): FileRefusal | undefined {
  for (const decision of ['deny', 'ask'] as const)
    for (const rule of context.rules[decision])
      if ((rule.tool === 'Read' || (access === 'write' && rule.tool === 'Edit')) && fileRuleMatches(rule, 'deny', path, context))
        return { decision, rule, reason: `${access === 'read' ? 'reading' : 'writing'} "${path.written}" is covered by ${rule.text}` }
  const place = access === 'write' ? (protectedPlace(path.real, context) ?? protectedPlace(path.written, context)) : undefined
  return place && { decision: place.decision, reason: `writing "${path.written}" would change ${place.name}, whatever rules allow` }
}

/** Whether an allow rule covers an access by the real path (an Edit rule covers reading as well). */
export function allowedByPath(access: Access, path: ResolvedPath, context: FileContext): Rule | undefined {
  return context.rules.allow.find(rule => {
    if (rule.tool !== 'Edit' && !(access === 'read' && rule.tool === 'Read')) return false
    if (!fileRuleMatches(rule, 'allow', path, context)) return false
    return (
      rule.within === undefined ||
      rule.within.some(ceiling => ceiling.tool === rule.tool && fileRuleMatches(ceiling, 'allow', path, context))
    )
  })
}

/** Why a word may not be read without a rule of its own; undefined when it lies inside the readable folders. Files on disk decide for globs. */
export function readProblem(word: ShellWord, directories: readonly string[] | undefined, context: FileContext): string | undefined {
  context.onDisk()
  if (!directories) return `where "${word.text}" lies is not known`
  for (const directory of directories) {
    for (const path of pathsOf(word, directory, context) ?? [undefined]) {
      if (path === undefined) return `"${word.text}" is not a literal path`
      const resolved = context.looks.resolvePath(path)
      if (!context.readDirectories.some(folder => isInside(resolved.real, folder))) return `"${word.text}" lies outside the workspace`
    }
  }
  return undefined
}

function pathsOf(word: ShellWord, directory: string, { home, looks }: FileContext): readonly string[] | undefined {
  const path = absolutePath(word, directory, home)
  return path === undefined ? expandGlob(word, directory, home, looks) : [path]
}

// Targets that are no files of the workspace: nothing is kept, or it is the command's own output.
const freeTargets: ReadonlySet<string> = new Set([
  '/dev/null',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/stdin',
  '/dev/fd/0',
  '/dev/fd/1',
  '/dev/fd/2',
])

/** What a redirection needs and does not have (S8). `problem` keeps it from being allowed, `refusal` is a rule that fired. */
export function judgeRedirection(
  { operator, target }: FileRedirection,
  command: SimpleCommand,
  context: FileContext,
): { problem?: string; refusal?: FileRefusal; opaque?: string } {
  const reads = operator === '<'
  if (target.pieces.some(piece => piece.type === 'unknown' && piece.syntax === 'ProcessSubstitution')) return {}
  if ((operator === '>&' || operator === '<&') && /^(\d+-?|-)$/.test(target.value ?? '')) return {}
  if (target.value !== undefined && freeTargets.has(target.value)) return {}
  if (/^\/dev\/(tcp|udp)(\/|$)/.test(target.value ?? target.text.replace(/["']/g, '')))
    return { opaque: `"${target.text}" is a network connection` }
  const { directories } = command
  const isGlob = target.pieces.some(piece => piece.type === 'glob') && target.pieces.every(piece => piece.type !== 'unknown')
  if (target.value === undefined || !directories) {
    const refusal = firedByOpenWord(reads ? 'read' : 'write', target, directories ?? [context.workspace], context)
    if (reads && isGlob && !refusal && readProblem(target, directories, context) === undefined) return {}
    return { problem: `the target "${target.text}" of ${operator} is not a literal path`, ...(refusal ? { refusal } : {}) }
  }
  context.onDisk()
  for (const directory of directories) {
    const path = absolutePath(target, directory, context.home)
    if (path === undefined) return { problem: `the target "${target.text}" of ${operator} is not a literal path` }
    const resolved = context.looks.resolvePath(path)
    for (const access of reads ? (['read'] as const) : operator === '<>' ? (['write', 'read'] as const) : (['write'] as const)) {
      const refusal = firedByPath(access, resolved, context)
      if (refusal) return { refusal }
      const inside = access === 'read' && context.readDirectories.some(folder => isInside(resolved.real, folder))
      if (!inside && !allowedByPath(access, resolved, context))
        return {
          problem: reads
            ? `reading "${target.text}" is outside the workspace`
            : `writing "${target.text}" needs a rule such as Edit(${suggestion(resolved, context)})`,
        }
    }
  }
  return {}
}

function suggestion(path: ResolvedPath, context: FileContext): string {
  return isInside(path.written, context.workspace) ? `./${relative(context.workspace, path.written)}` : `/${path.written}`
}

/** A Read or Edit rule of deny or ask that a word of a command fires, as an operand, an option's value or an attached value (S9). */
export function firedByWord(word: ShellWord, directories: readonly string[] | undefined, context: FileContext): FileRefusal | undefined {
  context.onDisk()
  let found: FileRefusal | undefined
  for (const part of pathParts(word)) {
    const refusal = firedByPart(part, directories ?? [context.workspace], context)
    if (refusal?.decision === 'deny') return refusal
    found ??= refusal
    if (!directories && part.value !== undefined && !/^[-/]/.test(part.value))
      found ??= firedByOpenWord('read', somewhere(part), [''], context)
  }
  return found
}

/** A relative path of a folder that is not known. */
function somewhere({ text, value = '' }: ShellWord): ShellWord {
  const open = unknownWord(text)
  return { ...open, pieces: [...open.pieces, { type: 'literal', value: `/${value}` }] }
}

/**
 * An ask where a program reads whole folders and a Read rule could cover a file in them that it does not name.
 * @param words what may name the folders; where none is one, it reads the folder it runs in
 */
export function firedByFolders(
  words: readonly ShellWord[],
  directories: readonly string[] | undefined,
  context: FileContext,
): FileRefusal | undefined {
  context.onDisk()
  for (const directory of directories ?? [context.workspace]) {
    const named = words.flatMap(word => absolutePath(word, directory, context.home) ?? []).filter(path => context.looks.isFolder(path))
    for (const path of named.length > 0 ? named : [directory]) {
      const folder = context.looks.resolvePath(path).real
      const refusal = firedByOpenWord('read', anyFileIn(folder), [directory], context)
      if (refusal) return { ...refusal, reason: `it reads all of "${folder}", and ${refusal.rule?.text} covers files that may lie there` }
    }
  }
  return undefined
}

function anyFileIn(folder: string): ShellWord {
  const open = unknownWord(`${folder}/*`)
  return { ...open, pieces: [{ type: 'literal', value: folder === '/' ? '/' : `${folder}/` }, ...open.pieces] }
}

const throughProc = /^\/proc\/[^/]+\/(cwd|root|fd|task)\b/

function firedByPart(word: ShellWord, directories: readonly string[], context: FileContext): FileRefusal | undefined {
  let found: FileRefusal | undefined
  for (const directory of directories) {
    const isHere = word.tilde && /^~\+(\/|$)/.test(word.value ?? '')
    const path = isHere ? directory + word.value?.slice(2) : absolutePath(word, directory, context.home)
    if (path === undefined ? /^\/proc\/([^/]*$|[^/]+\/(cwd|root|fd|task)\b)/.test(knownStart(word)) : throughProc.test(path))
      found ??= fileRules(context).length > 0 ? { decision: 'ask', reason: `"${word.text}" leads through /proc` } : undefined
    else if (path === undefined) found ??= firedByOpenWord('read', word, [directory], context)
    else {
      const refusal = firedByPath('read', context.looks.resolvePath(path), context)
      if (refusal?.decision === 'deny') return refusal
      found ??= refusal
    }
  }
  return found
}

// A word that is not known fires nothing for certain, but it must not pass when it could.
function firedByOpenWord(access: Access, word: ShellWord, directories: readonly string[], context: FileContext): FileRefusal | undefined {
  for (const rule of fileRules(context)) {
    if (rule.tool === 'Edit' && access === 'read') continue
    if (!context.looks.spend(looksOfOpenWord)) return undefined
    const pattern = compilePattern(openFilePattern(rule, context))
    for (const directory of directories)
      if (openPaths(word, directory, context).some(path => couldMatch(pattern, path)))
        return { decision: 'ask', rule, reason: `"${word.text}" could name a path that ${rule.text} covers` }
  }
  return undefined
}

// As long as some looks takes what is compared.
const looksOfOpenWord = 4

/** As written, and where a link among the known folders leads. */
function openPaths(word: ShellWord, directory: string, { home, looks }: FileContext): readonly OpenText[] {
  const written = openPath(word, directory, home)
  const [start, ...rest] = written
  const slash = start?.lastIndexOf('/') ?? -1
  if (start === undefined || slash < 1) return [written]
  const folder = start.slice(0, slash)
  const real = looks.realPath(folder)
  return real === folder ? [written] : [written, [real + start.slice(slash), ...rest]]
}

function fileRules({ rules }: FileContext): readonly Rule[] {
  return [...rules.deny, ...rules.ask].filter(rule => rule.tool === 'Read' || rule.tool === 'Edit')
}

const maxParts = 12

/** The parts of a word that may be a path: all of it, what is attached to a short option, what stands around `=`, `@`, `:` and `,`. */
function pathParts(word: ShellWord): readonly ShellWord[] {
  const { value } = word
  if (value === undefined) return [word]
  const parts = [word]
  if (/^-[A-Za-z]./.test(value)) parts.push(wordFrom(word, 2))
  const equals = value.indexOf('=')
  if (equals > 0) parts.push(wordFrom(word, equals + 1))
  if (!/[@:,=]/.test(value) || /\s/.test(value)) return parts
  let from = 0
  for (const piece of value.split(/[@:,=]/, maxParts)) {
    if (piece !== '' && piece !== value) parts.push({ ...wordFrom(word, from), pieces: [{ type: 'literal', value: piece }], value: piece })
    from += piece.length + 1
  }
  return parts
}
