// What the dialect of one source means for agents and hooks: their time, and whether `allowed-tools` limits their tools (SPEC R3.8, R5.7).

import { expect, test } from 'vitest'
import { type DialectName, dialects } from '../../src/dialect.ts'
import type { RuntimeOptions } from '../../src/options.ts'
import { calls, createForkWorkspace, type ForkWorkspace, says, tell } from './support.ts'

// The real time limits are too long to wait for.
Object.assign(dialects.wave, { commandTimeoutMs: 300 })

const lasting = 'sleep 0.6; echo ended'

function userSkill(workspace: ForkWorkspace, name: string, body: string, fields = ''): void {
  workspace.write(`../home/.skillcell/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n${fields}---\n${body}\n`)
}

interface TimeRow {
  readonly what: string
  readonly options: RuntimeOptions
  /** Whether a command of 600 ms ends by itself in skills of the user, and of the project. */
  readonly user: boolean
  readonly project: boolean
}

const times: readonly TimeRow[] = [
  { what: 'no dialect', options: {}, user: true, project: true },
  { what: 'wave for user', options: { sourceDialects: { user: 'wave' } }, user: false, project: true },
  { what: 'wave for all but user', options: { dialect: 'wave', sourceDialects: { user: 'skillcell' } }, user: true, project: false },
  { what: 'wave and a limit of their own', options: { dialect: 'wave', limits: { commandTimeoutMs: 60_000 } }, user: true, project: true },
  {
    what: 'a short limit of their own for all',
    options: { sourceDialects: { user: 'wave' }, limits: { commandTimeoutMs: 200 } },
    user: false,
    project: false,
  },
]

test.each(times)('an injected command has the time of its source: $what', async ({ options, user, project }) => {
  const workspace = createForkWorkspace()
  userSkill(workspace, 'of-user', `!\`${lasting}\``)
  workspace.skill('of-project', `!\`${lasting}\``)
  const runtime = await workspace.open({ allow: ['Bash'], ...options, limits: { killGraceMs: 100, ...options.limits } })
  const status = async (name: string): Promise<unknown> => (await runtime.expand(name)).commands[0]?.status
  expect(await Promise.all([status('of-user'), status('of-project')])).toEqual([user, project].map(ends => (ends ? 'ok' : 'timed-out')))
})

const mixedTimes = times.filter(row => row.what !== 'no dialect' && !row.what.startsWith('a short'))

test.each(mixedTimes)('a command of an agent has the time of the source of its skill: $what', async ({ options, user, project }) => {
  const workspace = createForkWorkspace()
  userSkill(workspace, 'of-user', 'Work.', 'context: fork\n')
  workspace.skill('of-project', 'Work.', 'context: fork\n')
  const runtime = await workspace.open({ allow: ['Bash'], ...options, limits: { killGraceMs: 100, ...options.limits } })
  for (const [name, ends] of [
    ['of-user', user],
    ['of-project', project],
  ] as const) {
    // A model that asks for more gets no more.
    const model = workspace.script(calls(['Bash', { command: lasting, timeout: 5_000 }]), {
      expect: { toolResults: [ends ? { includes: 'ended', isError: false } : { isError: true }] },
      ...says('done'),
    })
    expect((await tell(runtime, `/${name}`, { model })).outcome).toMatchObject({ reason: 'completed' })
  }
})

test.each(mixedTimes)('a hook has the time of the source of its skill: $what', async ({ options, user, project }) => {
  const workspace = createForkWorkspace()
  const hooks = `hooks: ${JSON.stringify({ UserPromptExpansion: [{ hooks: [{ command: lasting, timeout: 5 }] }] })}\n`
  userSkill(workspace, 'of-user', 'Work.', hooks)
  workspace.skill('of-project', 'Work.', hooks)
  const runtime = await workspace.open({ allow: ['Bash'], ...options, limits: { killGraceMs: 100, ...options.limits } })
  // A hook without an answer forbids what it was asked about.
  const ended = async (name: string): Promise<boolean> => (await tell(runtime, `/${name}`, {})).outcome.reason === 'completed'
  expect(await Promise.all([ended('of-user'), ended('of-project')])).toEqual([user, project])
})

interface ToolRow {
  readonly what: string
  readonly options: RuntimeOptions
  /** Whether the list of a skill of the user limits its tools, and that of one of the project. */
  readonly user: boolean
  readonly project: boolean
}

const restrictions: readonly ToolRow[] = [
  { what: 'no dialect', options: {}, user: true, project: true },
  { what: 'claude', options: { dialect: 'claude' }, user: false, project: false },
  { what: 'claude for user', options: { sourceDialects: { user: 'claude' } }, user: false, project: true },
  { what: 'claude for all but user', options: { dialect: 'claude', sourceDialects: { user: 'wave' } }, user: true, project: false },
  { what: 'claude and `turn`', options: { dialect: 'claude', toolRestriction: 'turn' }, user: true, project: true },
  { what: '`none`', options: { toolRestriction: 'none' }, user: false, project: false },
]

const seen = { includes: 'seen', isError: false }
const refused = { includes: 'no tool has that name', isError: true }

test.each(restrictions)('`allowed-tools` limits a fork as its source says: $what', async ({ options, user, project }) => {
  const workspace = createForkWorkspace()
  userSkill(workspace, 'of-user', 'Work.', 'context: fork\nallowed-tools: Read\n')
  workspace.skill('of-project', 'Work.', 'context: fork\nallowed-tools: Read\n')
  const runtime = await workspace.open({ allow: ['Bash'], ...options })
  for (const [name, limited] of [
    ['of-user', user],
    ['of-project', project],
  ] as const) {
    const model = workspace.script(calls(['Bash', { command: 'echo seen' }]), {
      expect: { toolResults: [limited ? refused : seen] },
      ...says('done'),
    })
    expect((await tell(runtime, `/${name}`, { model })).outcome).toMatchObject({ reason: 'completed' })
  }
})

const mixedRestrictions = restrictions.filter(row => row.user !== row.project)

test.each(mixedRestrictions)('`allowed-tools` of a skill inside a run limits its turn as its own source says: $what', async row => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Work.', 'context: fork\n')
  userSkill(workspace, 'of-user', 'Work.', 'allowed-tools: Read\n')
  workspace.skill('of-project', 'Work.', 'allowed-tools: Read\n')
  const runtime = await workspace.open({ allow: ['Bash', 'Skill'], ...row.options })
  for (const [name, limited] of [
    ['of-user', row.user],
    ['of-project', row.project],
  ] as const) {
    const model = workspace.script(
      calls(['Skill', { skill_name: name }]),
      { expect: { toolResults: [{ isError: false }] }, ...calls(['Bash', { command: 'echo seen' }]) },
      { expect: { toolResults: [limited ? { includes: 'not among the tools of this turn', isError: true } : seen] }, ...says('done') },
    )
    expect((await tell(runtime, '/outer', { model })).outcome).toMatchObject({ reason: 'completed' })
  }
})

test.each(mixedRestrictions)('`allowed-tools` of a fork in a fork limits it as its own source says: $what', async row => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Work.', 'context: fork\n')
  userSkill(workspace, 'of-user', 'Work.', 'context: fork\nallowed-tools: Read\n')
  workspace.skill('of-project', 'Work.', 'context: fork\nallowed-tools: Read\n')
  const runtime = await workspace.open({ allow: ['Bash', 'Skill'], ...row.options })
  for (const [name, limited] of [
    ['of-user', row.user],
    ['of-project', row.project],
  ] as const) {
    const model = workspace.script(
      calls(['Skill', { skill_name: name }]),
      calls(['Bash', { command: 'echo seen' }]),
      { expect: { toolResults: [limited ? refused : seen] }, ...says('inner') },
      says('done'),
    )
    expect((await tell(runtime, '/outer', { model })).outcome).toMatchObject({ reason: 'completed' })
  }
})

const dialectsOfOne: readonly [DialectName, string][] = [
  ['skillcell', 'A x'],
  ['claude', 'A y'],
]

test.each(dialectsOfOne)('a model reads a skill as its source means it: %s', async (user, text) => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Work.', 'context: fork\n')
  userSkill(workspace, 'of-user', 'A $1', 'argument-hint: words\n')
  const model = workspace.script(calls(['Skill', { skill_name: 'of-user', args: 'x y' }]), {
    expect: { toolResults: [{ includes: text }] },
    ...says('done'),
  })
  const runtime = await workspace.open({ allow: ['Skill'], dialect: 'wave', sourceDialects: { user } })
  expect((await tell(runtime, '/outer', { model })).outcome).toMatchObject({ reason: 'completed', result: { dialect: 'wave' } })
})
