// What a person is shown of skills: hooks and why a model may not call one; each problem once; a closed skill says what follows.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlace, type Place } from './command-line.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
  await place.skill('guarded', 'Hello.', 'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks: [{command: ./guard.sh}]\n')
  await place.skill('closed', 'A !`echo said` B', 'hooks: {PreToolUze: []}\n')
  await place.skill('for-users', 'Hello.', 'disable-model-invocation: true\n')
  await place.write('project/.mcp.json', '{')
})
afterAll(() => place.remove())

test.each([
  // skill, lines that are there, text that is not
  ['guarded', [/^hooks +\{"PreToolUse":\[\{"matcher":"Bash"/m], 'notForModel'],
  ['closed', [/^hooks +\{"PreToolUze":\[\]\}/m, /^notForModel +a field that restricts it cannot be read/m], '[object'],
  ['for-users', [/^notForModel +it says `disable-model-invocation: true`/m], 'hooks'],
])('show %s', async (name, lines, absent) => {
  const { stdout } = await place.runHere(['show', name])
  for (const line of lines) expect(stdout).toMatch(line)
  expect(stdout).not.toContain(absent)
})

test('show --json has the hooks as parsed', async () => {
  const shown = JSON.parse((await place.runHere(['show', 'closed', '--json'])).stdout)
  expect([shown.hooks, typeof shown.notForModel]).toEqual([{ PreToolUze: [] }, 'string'])
})

test('list tells each problem once, also those of the start', async () => {
  const { stderr } = await place.runHere(['list'])
  expect(stderr.split('MCP_CONFIG')).toHaveLength(2)
  expect(stderr.split('HOOKS_INVALID')).toHaveLength(2)
})

test('validate says what follows from hooks that cannot be read, as an error, at their line', async () => {
  const path = `${place.project}/.skillcell/skills/closed`
  const { exitCode, stdout } = await place.runHere(['validate', path])
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/error: .*PreToolUze.*the model may not call the skill.*\[HOOKS_INVALID\] \(.*SKILL\.md:4:1\)/)
})

test('expand says why a command of such a skill did not run, and blames no policy', async () => {
  const { stdout, exitCode } = await place.runHere(['expand', 'closed', '--allow', 'Bash'])
  expect([exitCode, stdout.includes('policy')]).toEqual([0, false])
  expect(stdout).toContain('A [shell command not run: a field of its frontmatter that restricts it cannot be read] B')
})

test('run of a skill that is not for a model says why', async () => {
  for (const [name, why] of [
    ['closed', 'cannot be read'],
    ['for-users', 'disable-model-invocation'],
  ] as const) {
    const { stdout } = await place.runHere(['expand', name, '--as', 'model', '--json'])
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'SKILL_NOT_INVOCABLE', message: expect.stringContaining(why) })
  }
})
