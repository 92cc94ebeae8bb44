// Whether git may be trusted to only read in a folder: its configuration can name programs (core.fsmonitor, diff.external, filters,
// pagers, aliases), and a skill may have written it earlier. Only keys that are known to name none are accepted.

import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isSystemError } from '../errors.ts'

const harmlessKeys: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|bigfilethreshold|sharedrepository|untrackedcache|preloadindex|longpaths|protecthfs|protectntfs|whitespace|trustctime|checkstat|commentchar|splitindex|multipackindex|commitgraph|sparsecheckout|sparsecheckoutcone|packedgitlimit|deltabasecachelimit)$/,
  /^(remote|branch|submodule)\.(.+\.)?(url|pushurl|fetch|push|prune|prunetags|tagopt|mirror|active|branch|update|ignore|fetchrecursesubmodules|recurse|merge|remote|pushremote|rebase|description|gh-resolved|vscode-merge-base|gk-.*|partialclonefilter|promisor|pushdefault|skipdefaultupdate|skipfetchall|propagatebranches)$/,
  /^user\.(name|email|signingkey|useconfigonly)$/,
  /^(pull|push|fetch|merge|rebase|rerere|init|status|color|column|log|advice|gc|maintenance|feature|index|pack|receive|transfer|commit|tag|blame|lfs|apply|checkout|clean|help|i18n|notes|stash|versionsort|github|gui)\.(.+\.)?(ff|rebase|default|autosetupremote|followtags|prune|prunetags|pruneremote|conflictstyle|autostash|autosquash|updaterefs|enabled|autoupdate|defaultbranch|short|branch|showuntrackedfiles|submodulesummary|ui|status|diff|abbrevcommit|date|decorate|follow|showsignature|auto|autodetach|strategy|manyfiles|experimental|version|threads|verbose|gpgsign|sort|repositoryformatversion|fsckobjects|denycurrentbranch|denynonfastforwards|recursesubmodules|parallel|writecommitgraph|showforcedupdates|wmgeometry|geometry|.*hint.*|.*advice.*|pushupdaterejected|statushints|detachedhead|whitespace|guess|requireforce|encoding|commitencoding|logoutputencoding|url|access|locksverify)$/,
  /^extensions\.(objectformat|partialclone|noop|preciousobjects|refstorage)$/,
  /^(diff|merge)\.(algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved|colormovedws|context|interhunkcontext|submodule|ignoresubmodules|statgraphwidth|wserrorhighlight|conflictstyle|ff|log|renormalize)$/,
]

const maxConfigBytes = 256 * 1024

/** Why git could run something here; undefined when its configuration names no program, or there is no repository. */
export function repositoryProblem(folder: string): string | undefined {
  const config = configOf(folder)
  if (config === undefined) return undefined
  if (config === unreadable) return 'the configuration of the repository cannot be read'
  const key = keysOf(config).find(each => !harmlessKeys.some(pattern => pattern.test(each)))
  return key === undefined ? undefined : `"${key}" in the configuration of the repository may make git run a program`
}

const unreadable = Symbol('unreadable')

/** The text of the configuration that git would find from a folder upwards. */
function configOf(folder: string): string | typeof unreadable | undefined {
  for (let here = folder; ; here = dirname(here)) {
    const git = join(here, '.git')
    const found = statSync(git, { throwIfNoEntry: false })
    if (found) return readConfigs(found.isDirectory() ? git : linkedFolder(git, here))
    // A folder that looks like a bare repository is one.
    if (statSync(join(here, 'HEAD'), { throwIfNoEntry: false }) && statSync(join(here, 'objects'), { throwIfNoEntry: false }))
      return readConfigs(here)
    if (dirname(here) === here) return undefined
  }
}

/** A worktree or submodule: `.git` is a file that names the folder. */
function linkedFolder(file: string, base: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readIfPresent(file) ?? '')?.[1]
  return named === undefined ? undefined : resolve(base, named.trim())
}

function readConfigs(git: string | undefined): string | typeof unreadable {
  if (git === undefined) return unreadable
  try {
    const common = readIfPresent(join(git, 'commondir'))
    const main = common === undefined ? git : resolve(git, common.trim())
    return [readIfPresent(join(main, 'config')) ?? '', readIfPresent(join(git, 'config.worktree')) ?? ''].join('\n')
  } catch {
    return unreadable
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    const { size } = statSync(path)
    if (size > maxConfigBytes) throw new Error(`"${path}" is too large`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** `section.subsection.key`, lower case but for the subsection. A line that is none of the grammar is a key of its own, which nobody accepts. */
function keysOf(config: string): readonly string[] {
  const keys: string[] = []
  let section = ''
  let continued = false
  for (const line of config.split(/\r?\n/)) {
    const text = line.trim()
    const isContinuation = continued
    continued = /\\$/.test(line)
    // In a comment a backslash continues nothing, and neither do two: what git reads on the next line must not be passed over.
    if (continued && !/^[^#;\\]*\\$/.test(line)) keys.push(text)
    if (isContinuation || text === '' || text.startsWith('#') || text.startsWith(';')) continue
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(text)
    if (head) {
      section = head[2] === undefined ? (head[1] ?? '').toLowerCase() : `${(head[1] ?? '').toLowerCase()}.${head[2]}`
      if ((head[3] ?? '').trim() !== '' && !/^\s*[#;]/.test(head[3] ?? '')) keys.push(`${section} ${head[3]}`)
      continue
    }
    const name = /^([A-Za-z][\w-]*)\s*(=|$|[#;])/.exec(text)?.[1]
    keys.push(name === undefined ? text : `${section}.${name.toLowerCase()}`)
  }
  return keys
}
