// Runs the built command line in a place of its own: a workspace, a home and a state folder that are removed afterwards.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'

const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

export interface Place {
  readonly root: string
  readonly project: string
  readonly home: string
  write(path: string, text: string): Promise<string>
  /** A skill of the project. */
  skill(name: string, body: string, fields?: string): Promise<string>
  start(argv: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams
  run(
    argv: readonly string[],
    given?: { readonly stdin?: string | Uint8Array; readonly environment?: Readonly<Record<string, string>> },
  ): Promise<Ended>
  /** The same in this process: no start-up to wait for. */
  runHere(argv: readonly string[]): Promise<Ended>
  remove(): Promise<void>
}

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function openPlace(): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'skillcell-cli-')))
  const place = { root, project: join(root, 'project'), home: join(root, 'home') }
  await mkdir(place.project)
  await mkdir(place.home)
  const write = async (path: string, text: string): Promise<string> => {
    const absolute = join(root, path)
    await mkdir(dirname(absolute), { recursive: true })
    await writeFile(absolute, text)
    return absolute
  }
  const start: Place['start'] = (argv, environment = {}) =>
    spawn(process.execPath, [program, ...argv], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: place.home, SKILLCELL_TEST: 'yes', ...environment },
    })
  return {
    ...place,
    write,
    skill: (name, body, fields = '') =>
      write(`project/.skillcell/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Does ${name}\n${fields}---\n${body}\n`),
    start,
    run: async (argv, { stdin = '', environment } = {}) => {
      const child = start([...argv, '--cwd', place.project, '--home', place.home], environment)
      child.stdin.on('error', () => {})
      child.stdin.end(stdin)
      return ended(child)
    },
    runHere: argv => runHere([...argv.slice(0, 1), '--cwd', place.project, '--home', place.home, ...argv.slice(1)]),
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

async function runHere(argv: readonly string[]): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  const kept = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation(chunk => {
      texts[name] += chunk
      return true
    }),
  )
  try {
    const exitCode = await runCommandLine(argv)
    return { exitCode, ...texts }
  } finally {
    for (const spy of kept) spy.mockRestore()
  }
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', chunk => stdout.push(chunk))
  child.stderr.on('data', chunk => stderr.push(chunk))
  const [exitCode] = await once(child, 'close')
  return { exitCode, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }
}
