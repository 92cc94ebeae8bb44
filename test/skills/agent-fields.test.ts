import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRuntime } from '../../src/runtime.ts'
import { readAgentFields } from '../../src/skills/agent-fields.ts'

const read = (extra: Readonly<Record<string, unknown>>): ReturnType<typeof readAgentFields> =>
  readAgentFields({ id: 'a', path: '/a.md', extra })

test.each<[what: string, extra: Readonly<Record<string, unknown>>, tools: readonly string[] | undefined, told: readonly string[]]>([
  ['nothing', {}, undefined, []],
  ['an empty key', { tools: null, maxTurns: null }, undefined, []],
  ['names', { tools: 'Read, Grep' }, ['Read', 'Grep'], []],
  ['a list', { tools: ['Read', 'Bash(git *)'] }, ['Read', 'Bash'], []],
  ['a tool of a server', { tools: 'mcp__x__y' }, ['mcp__x__y'], []],
  ['all', { tools: '*' }, undefined, []],
  ['all in a list', { tools: ['Read', '*'] }, undefined, []],
  ['an unknown name', { tools: 'Nope, Read' }, ['Read'], ['warning unknown tool "Nope"']],
  ['only an unknown name', { tools: 'Nope' }, [], ['warning unknown tool "Nope"', 'warning names no tool']],
  ['no text', { tools: 7 }, [], ['warning names no tool']],
  ['permissions', { permissionMode: 'bypassPermissions' }, undefined, ['note decided by the policy']],
  ['an unknown field', { toolz: 'Read' }, undefined, ['note "toolz" is no field of an agent']],
  ['a colour', { color: 'red' }, undefined, []],
])('readAgentFields() of %s', (_, extra, tools, told) => {
  const { tools: found, diagnostics } = read(extra)
  expect(found).toEqual(tools)
  expect(diagnostics).toHaveLength(told.length)
  for (const [index, text] of told.entries()) {
    const [severity = '', ...words] = text.split(' ')
    expect(diagnostics[index]).toMatchObject({
      code: 'AGENT_FIELD',
      severity,
      message: expect.stringContaining(words.join(' ')),
      path: '/a.md',
    })
  }
})

test.each<[value: unknown, maxTurns: number | undefined]>([
  [1, 1],
  ['12', 12],
  [0, undefined],
  [-1, undefined],
  [1.5, undefined],
  ['', undefined],
  ['many', undefined],
  [true, undefined],
])('readAgentFields() of maxTurns %j', (value, maxTurns) => {
  const { maxTurns: found, diagnostics } = read({ maxTurns: value })
  expect(found).toBe(maxTurns)
  expect(diagnostics).toHaveLength(maxTurns === undefined ? 1 : 0)
})

test('validate() tells what an agent file says in vain', async () => {
  const root = mkdtempSync(join(tmpdir(), 'skillcell-agents-'))
  mkdirSync(join(root, 'agents'))
  mkdirSync(join(root, 'home'))
  writeFileSync(
    join(root, 'agents/x.md'),
    '---\nname: x\ndescription: d\ntools: Nope\nmaxTurns: -1\npermissionMode: bypassPermissions\nodd: 1\n---\nText\n',
  )
  const runtime = await createRuntime({ cwd: root, home: join(root, 'home'), sandbox: 'off' })
  onTestFinished(async () => {
    await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })
  const { skills } = await runtime.validate([join(root, 'agents')], { strict: false })
  const told = skills.flatMap(({ diagnostics }) => diagnostics.filter(({ code }) => code === 'AGENT_FIELD'))
  expect(told.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning', 'note', 'note'])
})
