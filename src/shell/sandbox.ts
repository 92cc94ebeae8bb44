// Whether this machine can hold a cell, proved by starting what a cell is made of, and what is missing if it cannot (SPEC R6.2, finding 13).

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSystemError, messageOf } from '../errors.ts'
import { cellArguments, hostPath } from './confinement.ts'

/** Undefined when cells hold here; else why not and what to do, for people. */
export function sandboxProblem(bubblewrap: string = 'bwrap'): string | undefined {
  if (process.platform !== 'linux') return `there is no cell for ${process.platform} yet; bubblewrap is for Linux`
  const version = spawnSync(bubblewrap, ['--version'], { encoding: 'utf8' })
  if (version.error !== undefined)
    return 'bubblewrap is missing: install the package `bubblewrap` (Debian, Ubuntu: apt-get install bubblewrap)'
  if (!hostPrograms.some(file => file.endsWith('/bash') && existsSync(file))) return 'bash is missing: install the package `bash`'
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-probe-'))
  try {
    return probe(folder, bubblewrap)
  } catch (error) {
    return `the probe of bubblewrap failed: ${messageOf(error)}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// The smallest first (shell-host.ts).
const hostPrograms = ['dash', 'bash'].flatMap(name => ['/bin', '/usr/bin', '/usr/local/bin'].map(folder => `${folder}/${name}`))

/** Path of the shell that hosts the commands of a cell. */
export function findHostProgram(): string | undefined {
  return hostPrograms.find(file => existsSync(file))
}

/** An execute-only copy of a shell: a process of it cannot be looked into (SPEC R17.1). */
export function makeHostProgram(path: string, shell: string | undefined = findHostProgram()): void {
  if (shell === undefined) throw new Error('there is no dash and no bash')
  copyFileSync(shell, path)
  chmodSync(path, 0o111)
}

/** A file that lies over secrets. */
export function makeHiddenFile(path: string): void {
  writeFileSync(path, '')
  chmodSync(path, 0o000)
}

const missing = 'bubblewrap is missing: install the package `bubblewrap` (Debian, Ubuntu: apt-get install bubblewrap)'

const refusals: Readonly<Record<number, string>> = {
  71: 'bubblewrap gives no process ids of its own',
  72: 'the memory of the shell host can be read here (sysctl fs.suid_dumpable is 1, or its program is not execute-only)',
  73: 'capabilities are kept inside bubblewrap',
}

const probeScript = `
[ $$ = 1 ] || exit 71
(: </proc/1/environ) 2>/dev/null && exit 72
(: </proc/1/maps) 2>/dev/null && exit 72
while read -r name value; do case $name:$value in Cap*:0000000000000000) ;; Cap*) exit 73 ;; esac; done </proc/self/status
exit 0
`

function probe(folder: string, bubblewrap: string): string | undefined {
  const hostProgram = join(folder, 'host')
  const hiddenFile = join(folder, 'hidden')
  makeHostProgram(hostProgram)
  makeHiddenFile(hiddenFile)
  const profile = {
    workspace: folder,
    home: '/home/probe',
    readable: [],
    inputs: [],
    stateDirectory: '/run/state',
    hostProgram,
    hiddenFile,
    network: 'none',
  } as const
  const { error, status, stderr } = spawnSync(bubblewrap, [...cellArguments(profile), '--', hostPath, '-c', probeScript, 'host'], {
    encoding: 'utf8',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    timeout: 20_000,
  })
  if (isSystemError(error, 'ENOENT')) return missing
  if (status === 0) return undefined
  const said = stderr.trim().split('\n')[0] ?? ''
  return (
    refusals[status ?? 0] ??
    `bubblewrap cannot start here: ${said || `exit code ${status}`}. User namespaces may be switched off (kernel.unprivileged_userns_clone, AppArmor)`
  )
}
