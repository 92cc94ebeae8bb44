// Hooks with the real broker and the real policy: what a hook may do to us and to its event, whatever confines it.

import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HookEvent } from '../../src/hooks/event.ts'
import type { HookEventName, HookSkill } from '../../src/hooks/hook.ts'
import { createSessionHooks, type SessionHooks } from '../../src/hooks/session-hooks.ts'
import { resolveLimits } from '../../src/limits.ts'
import { decideCommand } from '../../src/policy/decide.ts'
import { loadPolicy, type Policy } from '../../src/policy/load.ts'
import { readRule } from '../../src/policy/rule.ts'
import { createBroker } from '../../src/shell/broker.ts'
import { events, handlersOf, never } from './support.ts'

interface Real {
  readonly workspace: string
  readonly baseDir: string
  readonly skill: HookSkill
  readonly hooks: SessionHooks
}

const limits = resolveLimits({ killGraceMs: 200, maxSpillBytes: 1024 * 1024 }, 'skillcell')

async function realSession(allow: readonly string[] = ['Bash', 'Edit']): Promise<Real> {
  const folder = (name: string): string => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), `skillcell-hooks-${name}-`)))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }
  const workspace = folder('workspace')
  const home = folder('home')
  const baseDir = folder('skill')
  const skill: HookSkill = { id: 'guard', source: 'project', path: join(baseDir, 'SKILL.md') }
  const broker = createBroker({ sandbox: 'auto', stateDirectory: folder('state'), limits, env: process.env })
  onTestFinished(() => broker.close())
  const policy = await loadPolicy({ workspace, home, allow, from: workspace })
  const context = { workspace, home, extraReadDirectories: [baseDir], grants: [] }
  const hooks = createSessionHooks(
    { sessionId: 'session-1', workspace, maxTimeoutMs: () => 20_000 },
    {
      decideCommand: ({ command }) => {
        const { decision, reason } = decideCommand(policy, command, context)
        const environment = { CLAUDE_SKILL_DIR: baseDir, CLAUDE_SESSION_ID: 'session-1' }
        return decision === 'allow' ? { decision, script: command, parameters: [], environment } : { decision: 'deny', reason }
      },
      runCommand: request => broker.run(request),
      fetchText: () => Promise.reject(new Error('no network here')),
      matchesRule: (rule, { input }) => matchesRule(policy, rule, input, context),
    },
  )
  return { workspace, baseDir, skill, hooks }
}

/** A rule is matched as a deny rule is: by any simple command, behind any wrapper. */
function matchesRule(policy: Policy, text: string, input: unknown, context: Parameters<typeof decideCommand>[2]): boolean {
  const read = readRule([text], { source: 'if', root: context.workspace })
  if ('problem' in read || typeof input !== 'object' || input === null || !('command' in input)) return true
  const rules = { ...policy.rules, allow: [], ask: [], deny: [read.rule] }
  return decideCommand({ ...policy, rules }, String(input.command), context).decision === 'deny'
}

async function fireOne(command: string, { event = events.PreToolUse, ...fields }: { event?: HookEvent; timeout?: number } = {}) {
  const real = await realSession()
  real.hooks.register(real.skill, handlersOf(event.name, [{ command, ...fields }]))
  return { ...real, outcome: await real.hooks.fire(event, never()) }
}

test('a hook reads the event, knows its folders and answers', async () => {
  const command = `input=$(cat); case "$input" in *'"command":"rm x"'*) echo "$CLAUDE_SKILL_DIR in $PWD for $CLAUDE_SESSION_ID" >&2; exit 2;; esac`
  const { outcome, baseDir, workspace } = await fireOne(command)
  expect(outcome).toMatchObject({ decision: 'block', reason: `${baseDir} in ${workspace} for session-1`, diagnostics: [] })
})

test('a hook answers in JSON, what it says beside on stderr does not matter', async () => {
  const { outcome } = await fireOne(
    `echo noise >&2; echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}'`,
  )
  expect(outcome).toMatchObject({ decision: 'ask', reason: 'sure?' })
})

test.each<[bytes: number, command: string, decision: string]>([
  [1024 * 1024, '[ "$(wc -c)" -gt 1048576 ]', 'pass'],
  [1024 * 1024, 'exit 0', 'pass'],
  [1024 * 1024, 'exec <&-; exit 2', 'block'],
])('a hook gets an event of %i bytes, whether or not it reads it: %s', async (bytes, command, decision) => {
  const event: HookEvent = { name: 'PreToolUse', toolName: 'Write', toolInput: { content: 'x'.repeat(bytes) }, toolUseId: 'c' }
  const { outcome } = await fireOne(command, { event })
  expect([outcome.decision, outcome.diagnostics]).toEqual([decision, []])
})

test('a hook may write in the workspace', async () => {
  const { outcome, workspace } = await fireOne('cat > seen.json')
  expect(outcome).toMatchObject({ decision: 'pass', diagnostics: [] })
  expect(JSON.parse(readFileSync(join(workspace, 'seen.json'), 'utf8'))).toMatchObject({ tool_name: 'Bash' })
})

test.each<[why: string, command: (mark: string) => string]>([
  ['leaves a child that holds its output', mark => `sleep ${mark} & exit 0`],
  ['leaves a daemon', mark => `setsid sleep ${mark} >/dev/null 2>&1 & exit 0`],
])('a hook that %s has ended, and nothing of it is left', async (_, command) => {
  const mark = `4${process.pid}.${performance.now().toFixed(0)}`
  const { outcome } = await fireOne(command(mark))
  expect([outcome.decision, sleepers(mark)]).toEqual(['pass', []])
})

test.each<[event: HookEventName, decision: string]>([
  ['PreToolUse', 'block'],
  ['Stop', 'pass'],
])('a hook that ignores TERM is ended, and %s takes its silence for %s', async (event, decision) => {
  const mark = `5${process.pid}.${performance.now().toFixed(0)}`
  const { outcome } = await fireOne(`trap '' TERM; (trap '' TERM; sleep ${mark}) & wait; sleep ${mark}`, {
    event: events[event],
    timeout: 0.3,
  })
  expect([outcome.decision, outcome.runs[0]?.ended, sleepers(mark)]).toEqual([decision, 'no-answer', []])
  expect(outcome.diagnostics).toMatchObject([{ code: 'HOOK_NO_ANSWER', message: expect.stringContaining('300 ms') }])
})

test.each<[command: string, decision: string, codes: readonly string[]]>([
  ['yes', 'block', ['HOOK_NO_ANSWER']],
  [`head -c 200000 /dev/zero | tr '\\0' a`, 'pass', []],
  [`printf '{"reason": "'; head -c 200000 /dev/zero | tr '\\0' a; printf '"}'`, 'block', ['HOOK_NO_ANSWER']],
  [`head -c 200000 /dev/zero | tr '\\0' a >&2; exit 1`, 'pass', ['HOOK_FAILED']],
  [`./there-is-none.sh`, 'pass', ['HOOK_FAILED']],
  ['kill -9 $$', 'block', ['HOOK_NO_ANSWER']],
])('a guard that does %j: %s', async (command, decision, codes) => {
  const { outcome } = await fireOne(command)
  expect([outcome.decision, outcome.diagnostics.map(({ code }) => code)]).toEqual([decision, codes])
})

test('an abort ends the hooks that run', async () => {
  const mark = `6${process.pid}.${performance.now().toFixed(0)}`
  const { hooks, skill } = await realSession()
  hooks.register(skill, handlersOf('PreToolUse', [{ command: `sleep ${mark}` }]))
  const stop = new AbortController()
  const fired = hooks.fire(events.PreToolUse, stop.signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  while (sleepers(mark).length === 0) await new Promise(setImmediate)
  const reason = new Error('stopped')
  stop.abort(reason)
  expect([await fired, sleepers(mark)]).toEqual([reason, []])
})

test('the policy decides the command of a hook as any other', async () => {
  const { hooks, skill, workspace } = await realSession(['Bash(grep *)'])
  hooks.register(skill, handlersOf('PreToolUse', [{ command: 'grep -q zzz; true' }, { command: 'touch pwned' }]))
  const outcome = await hooks.fire(events.PreToolUse, never())
  expect(outcome).toMatchObject({ decision: 'block', reason: expect.stringContaining('touch pwned') })
  expect(existsSync(join(workspace, 'pwned'))).toBe(false)
})

test.each<[command: string, runs: boolean]>([
  ['rm x', true],
  ['cd a && env X=1 /bin/r"m" -rf b', true],
  ['echo "$(rm x)"', true],
  ['echo rm x', false],
])('`if: Bash(rm *)` and %j', async (command, runs) => {
  const { hooks, skill } = await realSession()
  hooks.register(skill, handlersOf('PreToolUse', [{ command: 'exit 2', if: 'Bash(rm *)' }]))
  const outcome = await hooks.fire({ name: 'PreToolUse', toolName: 'Bash', toolInput: { command }, toolUseId: 'c' }, never())
  expect(outcome.runs.length).toBe(runs ? 1 : 0)
})

test('an http hook that may not call blocks a tool and is told', async () => {
  const { hooks, skill } = await realSession()
  hooks.register(skill, handlersOf('PreToolUse', [{ type: 'http', url: 'http://127.0.0.1:1/' }]))
  expect(await hooks.fire(events.PreToolUse, never())).toMatchObject({
    decision: 'block',
    diagnostics: [{ code: 'HOOK_NO_ANSWER', message: expect.stringContaining('no network here') }],
  })
})

/** Live processes of `sleep` with this time. */
function sleepers(time: string): string[] {
  return readdirSync('/proc').filter(id => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8') === `sleep\0${time}\0`
    } catch {
      return false
    }
  })
}
