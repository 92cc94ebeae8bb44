// The dialect of one source, from the command line: it comes from the user's configuration or the environment, and results name it.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlace, type Place } from './command-line.ts'

let place: Place
beforeAll(async () => {
  place = await openPlace()
  await place.skill('of-project', 'A $1', 'argument-hint: words\n')
  const text = '---\nname: of-user\ndescription: d\nargument-hint: words\n---\nA $1\n'
  await place.write('home/.skillcell/skills/of-user/SKILL.md', text)
  await place.write('home/.skillcell/config.yaml', 'sourceDialects: {user: claude}\n')
})
afterAll(() => place.remove())

const expansions: readonly [name: string, flags: readonly string[], dialect: string, text: string][] = [
  ['of-user', [], 'claude', 'A y'],
  ['of-project', [], 'skillcell', 'A x'],
  ['of-user', ['--dialect', 'wave'], 'claude', 'A y'],
  ['of-project', ['--dialect', 'wave'], 'wave', 'A x'],
]

test.each(expansions)('expand %s --json %j names the dialect %s', async (name, flags, dialect, text) => {
  const { stdout } = await place.runHere(['expand', name, '--json', '--args', 'x y', ...flags])
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, dialect, prompt: expect.stringContaining(text) })
})

test('config --json shows the dialects of sources and the file', async () => {
  const { stdout } = await place.runHere(['config', '--json'])
  expect(JSON.parse(stdout).values).toContainEqual({
    key: 'sourceDialects',
    value: { user: 'claude' },
    from: [`${place.home}/.skillcell/config.yaml`],
  })
})

test('a project cannot change what skills mean', async () => {
  await place.write('project/.skillcell/config.yaml', 'sourceDialects: {project: claude}\n')
  const { exitCode, stdout } = await place.runHere(['expand', 'of-project', '--json'])
  await place.write('project/.skillcell/config.yaml', '')
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: { code: 'CONFIG_INVALID', message: expect.stringContaining('"sourceDialects"') },
  })
})
