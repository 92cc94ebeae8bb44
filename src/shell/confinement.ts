// What a command in a cell can see and change, as arguments of bubblewrap (SPEC R6.2). Looks at the disk, starts nothing.
// Mounts are the wall, not permissions: root in a cell is root to files, so what must not be read is not mounted (finding 3).

import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillcellError } from '../errors.ts'
import { isInside } from '../inside.ts'
import type { NetworkMode } from '../options.ts'
import { infoMounts, unknownGitEntries } from './git-folder.ts'
import { gitGuards } from './git-guards.ts'
import { linkedSkills } from './linked-skills.ts'
import { doorArguments } from './network/door.ts'
import { type ProtectedStatuses, protectedPaths, protectedStatuses } from './placeholders.ts'

export interface CellProfile {
  /** The one place that commands may write, beside their temp. */
  readonly workspace: string
  readonly home: string
  /** Read-only at their own place: folders of the skills in use. */
  readonly readable: readonly string[]
  /** Read-only, [folder of the cell, where it is seen]: inputs and arguments of the command that runs. */
  readonly inputs: readonly (readonly [source: string, seenAs: string])[]
  /** Made in the workspace so that no command makes them: where links of its protected folders lead to nothing. */
  readonly standIns?: readonly string[]
  /** Private state; never seen, also where it lies in the workspace. */
  readonly stateDirectory: string
  /** An execute-only copy of a shell, the shell host. */
  readonly hostProgram: string
  /** An unreadable file that lies over secrets. */
  readonly hiddenFile: string
  readonly network: NetworkMode
  /** What an allowlist lists; canonical entries as texts. */
  readonly networkHosts?: readonly string[]
}

/** Where the host program is seen. By its base name a bash knows that it is to be a POSIX shell. */
export const hostPath = '/run/skillcell/sh'

const megabyte = 1024 * 1024
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']
// biome-ignore format: a list
const systemFiles = [
  'alternatives', 'ca-certificates', 'debian_version', 'group', 'gitconfig', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime',
  'mime.types', 'nsswitch.conf', 'os-release', 'passwd', 'pki/tls/certs', 'protocols', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'timezone',
].map(name => `/etc/${name}`)
const secretNames = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.config',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.git-credentials',
  '.local/share/keyrings',
]

/** @throws {SkillcellError} SHELL_SPAWN_FAILED for a workspace that cannot be confined. */
export function cellArguments(profile: CellProfile): string[] {
  const { workspace, home, network, readable } = profile
  if (['/', '/usr', '/etc', '/proc', '/dev', '/sys', '/run'].includes(workspace)) {
    throw new SkillcellError(
      'SHELL_SPAWN_FAILED',
      `Cannot confine commands to "${workspace}": it is a folder of the system; choose a workspace below it`,
    )
  }
  const { ways, mounts } = protection(profile)
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--as-pid-1'],
    ...(network === 'host' ? ['--share-net'] : []),
    ...['--hostname', 'cell', '--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
    ...systemFolders.flatMap(systemFolder),
    ...[...systemFiles, ...(network === 'host' ? ['/etc/resolv.conf'] : [])].flatMap(path => ['--ro-bind-try', path, path]),
    // Finding 2: root may write /proc/sys without any capability.
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    ...sized(64, '1777', '/dev/shm'),
    ...sized(256, '1777', '/tmp'),
    ...sized(16, '0755', '/run'),
    ...sized(64, '0700', home),
    ...readable.filter(path => !isInside(path, workspace)).flatMap(path => readOnly(path, workspace)),
    ...['--bind', workspace, workspace],
    ...ways,
    ...readable.filter(path => isInside(path, workspace) && path !== workspace).flatMap(path => readOnly(path, workspace)),
    ...mounts,
    ...hide(profile),
    ...profile.inputs.flatMap(([source, seenAs]) => ['--ro-bind', source, seenAs]),
    ...['--ro-bind', profile.hostProgram, hostPath],
    ...doorArguments(network),
    // Last: what bubblewrap made on its way would be unlimited memory to write to.
    ...['--remount-ro', '/dev', '--remount-ro', '/run', '--remount-ro', '/'],
    ...['--chdir', workspace],
  ]
}

/** What a profile rests on. A change of it (a file replaced, a folder that came) means that a running cell shows something else. */
export function profileKey(profile: Omit<CellProfile, 'inputs'>, found: ProtectedStatuses = protectedStatuses(profile.workspace)): string {
  const { workspace, home, readable } = profile
  const others = [workspace, ...readable].map(path => [path, lstatSync(path, { throwIfNoEntry: false })] as const)
  // With its birth: what is made next may get the number of what was just removed, and no mount of a running cell lies over it.
  const identities = [...others, ...found].map(([path, status]) => [path, status?.dev, status?.ino, status?.birthtimeMs])
  return JSON.stringify([identities, home, networkKey(profile), secretFiles(workspace)])
}

/** Two cells of one key reach the same (SPEC R17.4). */
export function networkKey({ network, networkHosts = [] }: Pick<CellProfile, 'network' | 'networkHosts'>): string {
  return network === 'allowlist' ? JSON.stringify([network, ...new Set(networkHosts)].toSorted()) : network
}

function systemFolder(path: string): string[] {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status?.isSymbolicLink()) return ['--symlink', readlinkSync(path), path]
  return status?.isDirectory() ? ['--ro-bind', path, path] : []
}

function sized(megabytes: number, permissions: string, path: string): string[] {
  return ['--size', String(megabytes * megabyte), '--perms', permissions, '--tmpfs', path]
}

function readOnly(path: string, workspace: string): string[] {
  if (!existsSync(path)) return []
  const real = realpathSync(path)
  // Found through a link: the link is made again, unless it is seen anyway.
  const seen = real === path || [workspace, ...systemFolders].some(folder => isInside(path, folder))
  return ['--ro-bind', real, real, ...(seen ? [] : ['--symlink', real, path])]
}

interface Protection {
  /** Folders on the way, which stay writable. */
  readonly ways: readonly string[]
  readonly mounts: readonly string[]
}

function protection({ workspace, readable, standIns = [] }: CellProfile): Protection {
  const always = protectedPaths(workspace)
  const git = join(workspace, '.git')
  const gitFolders = [...(existsSync(join(git, 'HEAD')) ? [git] : []), ...gitGuards(workspace).folders]
  const wanted = [
    ...always,
    ...gitFolders.flatMap(folder => unknownEntries(folder, workspace)),
    ...linkedSkills(workspace).present,
    ...standIns,
  ]
  // A link cannot be mounted over: what it leads to is protected, if it is seen at all.
  const found = insideOf(workspace, wanted)
  // Finding 4: a parent that may be renamed takes its protected child away; a mount point may not.
  const ways = new Set([...found, ...insideOf(workspace, readable)].flatMap(path => foldersBetween(workspace, path)))
  const infos = new Set(gitFolders.map(folder => join(folder, 'info')))
  return {
    // Those above first: what is mounted later lies over what is mounted below it.
    ways: [...ways].toSorted((one, other) => one.length - other.length).flatMap(path => ['--bind', path, path]),
    mounts: found.flatMap(path => (infos.has(path) ? infoMounts(path, sized(1, '0755', path)) : ['--ro-bind', path, path])),
  }
}

// A workspace that is a repository itself may have anything in it; of a git folder what is not known is kept as it is.
function unknownEntries(folder: string, workspace: string): string[] {
  return folder === workspace ? ['branches', 'remotes'].map(name => join(folder, name)) : unknownGitEntries(folder)
}

/** What is there of them and in the workspace, as real paths. */
function insideOf(workspace: string, paths: readonly string[]): string[] {
  const real = paths.filter(path => existsSync(path)).map(path => realpathSync(path))
  return [...new Set(real)].filter(path => path !== workspace && isInside(path, workspace))
}

function foldersBetween(workspace: string, path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== workspace; folder = dirname(folder)) folders.push(folder)
  return folders
}

function hide({ workspace, home, stateDirectory, hiddenFile }: CellProfile): string[] {
  const folders = secretNames.map(name => join(home, name)).filter(path => isInside(path, workspace) && existsSync(path))
  return [
    // Not closed like the rest: the inputs of the cell are mounted below it.
    ...(isInside(stateDirectory, workspace) ? sized(1, '0700', stateDirectory) : []),
    ...folders
      .map(path => realpathSync(path))
      .flatMap(path => (lstatSync(path).isDirectory() ? hiddenFolder(path) : ['--ro-bind', hiddenFile, path])),
    ...secretFiles(workspace).flatMap(path => ['--ro-bind', hiddenFile, path]),
  ]
}

function hiddenFolder(path: string): string[] {
  return [...sized(1, '0000', path), '--remount-ro', path]
}

const secretsSeen = new Map<string, { readonly state: string; readonly files: readonly string[] }>()
// Beyond this a change of a folder has another time on any disk.
const settledMs = 3_000

/** Looked for anew only when the folder has changed: it may have thousands of entries, and this is asked for each command. */
function secretFiles(workspace: string): readonly string[] {
  const { dev, ino, mtimeMs, ctimeMs } = lstatSync(workspace)
  const state = `${dev}:${ino}:${mtimeMs}:${ctimeMs}`
  const seen = secretsSeen.get(workspace)
  if (seen?.state === state) return seen.files
  const files = findSecretFiles(workspace)
  secretsSeen.delete(workspace)
  if (secretsSeen.size > 100) secretsSeen.clear()
  if (Date.now() - Math.max(mtimeMs, ctimeMs) > settledMs) secretsSeen.set(workspace, { state, files })
  return files
}

function findSecretFiles(workspace: string): string[] {
  const names = readdirSync(workspace).filter(
    name => name === '.env' || (name.startsWith('.env.') && !/\.(?:example|sample|template)$/.test(name)),
  )
  return names.map(name => join(workspace, name)).filter(path => lstatSync(path, { throwIfNoEntry: false })?.isFile())
}
