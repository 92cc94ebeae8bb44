// Where this process may make control groups: below its own group, in each hierarchy of the kernel that was handed to it (SPEC R6.3).
// Handed to it is what belongs to its user, or is the top of what a container shows it. The group of somebody else who started us is not
// ours to divide: it is left alone, with a sentence that says what to do. Nor is the own group ever left upwards: its limits stay above.

import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { messageOf } from '../errors.ts'
import { isInside } from '../inside.ts'

export type Controller = 'memory' | 'pids' | 'cpu' | 'cpuacct'

export const controllers: readonly Controller[] = ['memory', 'pids', 'cpu', 'cpuacct']

export interface ControlPlace {
  readonly version: 1 | 2
  /** Folder of the own group. */
  readonly folder: string
  readonly controllers: readonly Controller[]
}

export interface ControlPlaces {
  readonly places: readonly ControlPlace[]
  /** Why a controller is not had, and what to do; for people. */
  readonly problems: readonly string[]
}

const remedy =
  'start skillcell in one that is its own: `systemd-run --user --scope -p Delegate=yes skillcell …`, or a container with a writable /sys/fs/cgroup'

/** @param root where /proc and /sys are looked for; for tests */
export function findControlPlaces(root: string = '/', userId: number | undefined = process.getuid?.()): ControlPlaces {
  const own = readOrEmpty(join(root, 'proc/self/cgroup')).split('\n').flatMap(membership)
  const mounts = readOrEmpty(join(root, 'proc/self/mountinfo')).split('\n').flatMap(mountedGroup)
  const places: ControlPlace[] = []
  const problems: string[] = []
  const missing = new Set(controllers)
  for (const { names, path } of own) {
    const mount = mounts.find(({ version, options }) => (names.length === 0 ? version === 2 : names.every(name => options.includes(name))))
    if (mount === undefined) continue
    if (!isInside(path, mount.root)) continue
    const way = relative(mount.root, path)
    const folder = join(root, mount.point, way)
    const offered = names.length > 0 ? names : readOrEmpty(join(folder, 'cgroup.controllers')).trim().split(/\s+/)
    const found = controllers.filter(name => missing.has(name) && offered.includes(name))
    // The second version counts CPU seconds in every group.
    if (names.length === 0 && found.length > 0 && missing.has('cpuacct')) found.push('cpuacct')
    if (found.length === 0) continue
    for (const name of found) missing.delete(name)
    const problem = problemOf(folder, way === '', userId)
    if (problem === undefined) places.push({ version: mount.version, folder, controllers: found })
    else problems.push(`${found.join(', ')}: ${problem}; ${remedy}`)
  }
  if (missing.size > 0) problems.push(`${[...missing].join(', ')}: there is no such hierarchy of control groups here`)
  return { places, problems }
}

function problemOf(folder: string, isTop: boolean, userId: number | undefined): string | undefined {
  try {
    accessSync(folder, constants.W_OK)
    if (isTop || (userId !== 0 && statSync(folder).uid === userId)) return undefined
    return `the control group "${folder}" belongs to what started this process`
  } catch (error) {
    return `the control group cannot be written: ${messageOf(error)}`
  }
}

/** `4:memory:/a/b`; no names for the second version: `0::/a/b`. */
function membership(line: string): { names: string[]; path: string }[] {
  const [, names, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
  return names === undefined || path === undefined ? [] : [{ names: names === '' ? [] : names.split(','), path }]
}

function mountedGroup(line: string): { version: 1 | 2; root: string; point: string; options: string[] }[] {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root, point] = before.split(' ').map(plain)
  const [type, , options = ''] = after.split(' ')
  if (root === undefined || point === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return []
  return [{ version: type === 'cgroup' ? 1 : 2, root, point, options: options.split(',') }]
}

function plain(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
