// Soundness by execution (the oracle is bash): of every command that the policy allows, each program that really starts must be one
// that the decision lists. Programs are stand-ins that log their words; wrappers are the real ones. SKILLCELL_LONG=1 tries 20,000.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decideCommand } from '../../src/policy/decide.ts'
import type { SimpleCommandDecision } from '../../src/policy/decision.ts'
import { loadPolicy, type Policy } from '../../src/policy/load.ts'
import { allowedStandIns, anyCommand, standIns } from './generate.ts'

const realPrograms = ['env', 'timeout', 'nice', 'nohup', 'stdbuf', 'setsid', 'xargs', 'find', 'bash', 'sh', 'cat', 'printf', 'true']
const wrapperRules = ['env *', 'xargs *', 'setsid *', 'find *', 'find * -exec *', 'builtin *', 'exec *', 'time *', 'cat *', 'echo *']
const count = process.env.SKILLCELL_LONG ? 20_000 : 1_000

let root = ''
let workspace = ''
let programs = ''
let log = ''

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-soundness-')))
  workspace = join(root, 'workspace')
  programs = join(root, 'programs')
  log = join(root, 'log')
  for (const folder of [workspace, programs, join(root, 'home')]) mkdirSync(folder)
  for (const name of standIns) {
    writeFileSync(join(programs, name), `#!${which('sh')}\nprintf '%s\\n' "$0" >> '${log}'\n`)
    chmodSync(join(programs, name), 0o755)
  }
  for (const name of realPrograms) symlinkSync(which(name), join(programs, name))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

test(`every program that an allowed command starts is in its decision (${count.toLocaleString('en-US')} commands)`, {
  timeout: 1_800_000,
}, async () => {
  const policy = await loadPolicy({
    workspace,
    home: join(root, 'home'),
    allow: [...allowedStandIns.flatMap(name => [`Bash(${name} *)`]), ...wrapperRules.map(rule => `Bash(${rule})`)],
  })
  const texts = [...new Set(fc.sample(anyCommand, { numRuns: count, seed: process.env.SKILLCELL_LONG ? Date.now() % 2 ** 31 : 7 }))]
  const allowed = texts.filter(text => decide(policy, text).decision === 'allow')
  // The generator must reach what it is about: enough is allowed, and enough refused.
  expect(allowed.length).toBeGreaterThan(count / 10)
  expect(texts.length - allowed.length).toBeGreaterThan(count / 10)
  const wrong = runAll(allowed).flatMap((started, index) => {
    const text = allowed[index] ?? ''
    const listed = new Set(names(decide(policy, text).commands))
    const unlisted = started.filter(name => !listed.has(name) || !allowedStandIns.includes(name))
    return unlisted.length > 0 ? [{ text, unlisted }] : []
  })
  expect(wrong).toEqual([])
})

function decide(policy: Policy, text: string): ReturnType<typeof decideCommand> {
  return decideCommand(policy, text, { workspace, home: join(root, 'home'), extraReadDirectories: [], grants: [] })
}

function names(commands: readonly SimpleCommandDecision[]): string[] {
  return commands.flatMap(({ argv, inner }) => [basename(argv[0] ?? ''), ...names(inner ?? [])])
}

/** Runs each text in a fresh bash in an empty folder; gives the stand-ins that each started. One driver for all: a process is slow to start from here. */
function runAll(texts: readonly string[]): readonly (readonly string[])[] {
  for (const [index, text] of texts.entries()) writeFileSync(join(root, `command-${index}`), text)
  writeFileSync(log, '')
  const driver = `
    for ((n = 0; n < ${texts.length}; n++)); do
      ${which('ln')} -s ${programs} ${root}/run-"$n"
      PATH=${root}/run-"$n"
      ${which('mkdir')} -p ${workspace} && cd ${workspace} || exit 1
      ${which('timeout')} -k 1 2 ${which('bash')} --norc --noprofile ${root}/command-"$n" </dev/null >/dev/null 2>&1
    done
    ${which('sleep')} 0.3`
  execFileSync(which('bash'), ['--norc', '--noprofile', '-c', driver], {
    env: { PATH: programs, LANG: 'C' },
    stdio: 'ignore',
    timeout: 1_500_000,
  })
  const found: string[][] = texts.map(() => [])
  // Each run has a PATH of its own, so that a straggler is not taken for the next command's.
  for (const [, run, name] of readFileSync(log, 'utf8').matchAll(/\/run-(\d+)\/(\w+)$/gm)) if (name) found[Number(run)]?.push(name)
  return found
}

function which(program: string): string {
  return execFileSync('bash', ['-c', 'type -P "$1"', 'bash', program]).toString().trim()
}
