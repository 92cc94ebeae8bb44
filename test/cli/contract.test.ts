// The contract of the command line that scripts rely on: exit codes, JSON alone on stdout, flags before and after.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlace, type Place } from './command-line.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
  await place.skill('plain', 'Hello $1.', 'argument-hint: "[who]"\n')
  await place.skill('prints', 'Says !`echo said`.')
  await place.skill('spawns', 'Does !`touch made`.')
  await place.skill('for-models', 'Hello.', 'user-invocable: false\n')
  await place.skill('for-users', 'Hello.', 'disable-model-invocation: true\n')
  await place.skill('forks', 'Hello.', 'context: fork\n')
  await place.skill('reads-file', 'R !`od -An -tx1 "$ARGUMENTS_FILE"` E')
  await place.write('project/.skillcell/skills/broken/SKILL.md', '---\n- a list\n---\nBody\n')
  await place.write('policies/broken.yaml', 'allow: [\n')
  await place.write('policies/off.yaml', 'shellExecution: false\n')
  await place.write('cases.yaml', '- command: git status\n  expect: allow\n- command: curl x\n  expect: ask\n')
  await place.write('wrong-cases.yaml', '- command: curl x\n  expect: allow\n')
})
afterAll(() => place.remove())

const exits: readonly [code: number, argv: readonly string[]][] = [
  [0, ['list']],
  [0, ['list', '--all', '--for', 'model']],
  [0, ['show', 'plain']],
  [0, ['expand', 'plain', '--args', 'you']],
  [0, ['expand', 'prints', '--allow', 'Bash(echo *)']],
  [0, ['expand', 'spawns', '--policy', '{root}/policies/off.yaml']],
  [0, ['expand', 'for-models', '--as', 'model']],
  [0, ['expand', 'for-users', '--as', 'user']],
  [0, ['expand', 'forks']],
  [0, ['run', '/plain you']],
  [0, ['validate', '{project}/.skillcell/skills/plain']],
  [0, ['policy', 'check', 'ls']],
  [0, ['policy', 'check', 'curl x']],
  [0, ['policy', 'explain', 'curl x', '--deny', 'Bash(curl *)']],
  [0, ['policy', 'test', '{root}/cases.yaml']],
  [0, ['config']],
  [0, ['doctor']],
  [1, ['validate', '{project}/.skillcell/skills/broken']],
  [1, ['validate', '{project}/nowhere']],
  [1, ['policy', 'test', '{root}/wrong-cases.yaml']],
  [2, ['nonsense']],
  [2, ['list', '--nonsense']],
  [2, ['list', 'one-too-many']],
  [2, ['list', '--for', 'nobody']],
  [2, ['expand']],
  [2, ['expand', 'plain', '--args']],
  [2, ['expand', 'plain', '--args', 'x', '--args-file', 'y']],
  [2, ['expand', 'plain', '--args-file', '{root}/nowhere']],
  [2, ['expand', 'plain', '--session', 'a/b']],
  [2, ['expand', 'plain', '--session', '']],
  [2, ['expand', 'plain', '--command-timeout-ms', '0']],
  [2, ['expand', 'plain', '--command-timeout-ms', '600001']],
  [2, ['expand', 'plain', '--sandbox', 'perhaps']],
  [2, ['expand', 'plain', '--dialect', 'perhaps']],
  [2, ['expand', 'plain', '--policy', '{root}/policies/broken.yaml']],
  [2, ['expand', 'plain', '--policy', '{root}/policies/nowhere.yaml']],
  [2, ['expand', 'plain', '--allow', 'Nonsense(']],
  [2, ['run', 'no slash']],
  [2, ['run', '/forks']],
  [2, ['policy', 'check']],
  [2, ['policy', 'check', 'ls', '--stdin']],
  [2, ['policy', 'test', '{root}/nowhere']],
  [3, ['expand', 'spawns']],
  [3, ['expand', 'spawns', '--allow', 'Bash', '--deny', 'Bash(touch *)']],
  [3, ['expand', 'for-models']],
  [3, ['expand', 'for-users', '--as', 'model']],
  [3, ['run', '/spawns']],
  [3, ['policy', 'check', 'curl x', '--deny', 'Bash(curl *)']],
  [4, ['expand', 'nowhere']],
  [4, ['expand', '__proto__']],
  [4, ['run', '/nowhere']],
  [4, ['show', 'nowhere']],
  [5, ['expand', 'broken']],
]

test.each(exits)('exit code %i of skillcell %j, and with --json stdout is JSON alone', async (exitCode, argv) => {
  const filled = argv.map(word => word.replace('{root}', place.root).replace('{project}', place.project))
  const ended = await place.runHere(['--json', ...filled])
  expect({ exitCode: ended.exitCode, stderr: ended.exitCode === exitCode ? '' : ended.stderr }).toEqual({ exitCode, stderr: '' })
  const lines = ended.stdout.split('\n').filter(Boolean)
  expect(lines.length).toBeGreaterThan(0)
  if (argv[0] !== 'run') expect(lines).toHaveLength(1)
  const answers = lines.map(line => JSON.parse(line))
  if (exitCode >= 2 && argv[0] !== 'run' && argv[1] !== 'check')
    expect(answers[0]).toMatchObject({
      ok: false,
      error: { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/./) },
    })
})

test.each([0, 1, 2, 3, 4, 5])('the process ends with exit code %i too', async code => {
  const [, argv = []] = exits.find(([exitCode]) => exitCode === code) ?? []
  const filled = argv.map(word => word.replace('{root}', place.root).replace('{project}', place.project))
  expect((await place.run(filled)).exitCode).toBe(code)
})

test('a person gets the text on stdout, what went wrong on stderr, and no colours in a pipe', async () => {
  const good = await place.run(['expand', 'plain', '--args', 'you'])
  expect(good.stdout).toBe(`Base directory for this skill: ${place.project}/.skillcell/skills/plain\n\nHello you.\n\n`)
  const bad = await place.run(['expand', 'spawns'])
  expect(bad.stdout).toBe('')
  expect(bad.stderr).toContain('COMMAND_DENIED: Shell command permission check failed for pattern "touch made": ')
  const list = await place.run(['list'])
  expect(list.stdout).toContain('plain')
  expect(good.stdout + bad.stderr + list.stdout).not.toContain('\u001b')
})

test('control characters of a skill do not reach the terminal', async () => {
  await place.write(
    'project/.skillcell/skills/paints/SKILL.md',
    '---\nname: paints\ndescription: "red \\u001b[31m and \\u202e back"\n---\nB\n',
  )
  await place.write('project/.skillcell/skills/runs/SKILL.md', '---\nname: runs\ndescription: d\n---\n!`made-up "\u001b[2J\u200b"`\n')
  const { stdout, stderr } = await place.run(['list'])
  expect(stdout).toContain('paints')
  const wrongName = await place.run(['show', 'no\u001b[2J'])
  const refused = await place.run(['expand', 'runs'])
  const told = await place.run(['run', '/runs'])
  for (const { exitCode, stderr } of [wrongName, refused, told]) {
    expect(exitCode).toBeGreaterThan(2)
    expect(stderr).toContain('\\u{1b}')
  }
  for (const text of [stdout, stderr, wrongName.stderr, refused.stderr, told.stderr]) expect(text).not.toMatch(/[\u001b\u202e\u200b]/)
})

test('common flags count before and after the name of a command, and lists add up', async () => {
  const argv = ['--json', '--deny', 'Bash(rm *)', 'policy', '--deny', 'Bash(curl *)', 'check', 'rm x', '--deny', 'Bash(dd *)']
  for (const command of ['rm x', 'curl x', 'dd x']) {
    const { stdout, exitCode } = await place.runHere(argv.map(word => (word === 'rm x' ? command : word)))
    expect([exitCode, JSON.parse(stdout).decision]).toEqual([3, 'deny'])
  }
})

const argumentWords: readonly (readonly string[])[] = [
  ['--args=-x'],
  ['--args', '-x'],
  ['--args=--json'],
  ['--args', '--json'],
  ['--args', '--deny'],
]

test.each(argumentWords)('an argument that looks like a flag is one: %s %s', async (...words) => {
  const { stdout } = await place.runHere(['expand', 'plain', ...words.filter(Boolean)])
  expect(stdout).toContain(`Hello ${words.at(-1)?.replace('--args=', '')}.`)
})

test('arguments come from a file or stdin byte for byte', async () => {
  const bytes = Uint8Array.from([0x61, 0xff, 0x0a, 0xc3, 0xa9, 0x0a])
  const { stdout, stderr } = await place.run(['expand', 'reads-file', '--args-file', '-', '--allow', 'Bash'], { stdin: bytes })
  expect(stderr).toBe('')
  expect(stdout).toContain('61 ff 0a c3 a9 0a')
})

test('arguments may have as many bytes as the limit, and not one more', async () => {
  await place.write('project/.skillcell/config.yaml', 'limits: {maxArgumentsBytes: 10}\n')
  try {
    expect((await place.runHere(['expand', 'plain', '--args', 'x'.repeat(9)])).exitCode).toBe(0)
    expect((await place.runHere(['expand', 'plain', '--args', 'x'.repeat(10)])).exitCode).toBe(0)
    expect((await place.runHere(['expand', 'plain', '--args', 'x'.repeat(11)])).exitCode).toBe(2)
    // Bytes, not characters: each of these has two.
    expect((await place.runHere(['expand', 'plain', '--args', 'ééééé'])).exitCode).toBe(0)
    expect((await place.runHere(['expand', 'plain', '--args', 'éééééx'])).exitCode).toBe(2)
    expect((await place.run(['expand', 'plain', '--args-file', '-'], { stdin: 'x'.repeat(10) })).exitCode).toBe(0)
    expect((await place.run(['expand', 'plain', '--args-file', '-'], { stdin: 'x'.repeat(11) })).exitCode).toBe(2)
  } finally {
    await place.write('project/.skillcell/config.yaml', '')
  }
})

test('config --json tells each value and where it comes from', async () => {
  const { stdout } = await place.run(['config', '--json', '--sandbox', 'off'], { environment: { SKILLCELL_MAX_OUTPUT_CHARS: '77' } })
  const { values } = JSON.parse(stdout)
  expect(values).toContainEqual({ key: 'sandbox', value: 'off', from: ['flag'] })
  expect(values).toContainEqual({ key: 'limits.maxOutputChars', value: 77, from: ['$SKILLCELL_MAX_OUTPUT_CHARS'] })
})

test('list --for model prints the listing, word for word as a model is given it', async () => {
  await place.skill('greet', 'Say hello.')
  const { stdout } = await place.runHere(['list', '--for', 'model'])
  expect(stdout).toMatch(/^# Available Skills\n/)
  expect(stdout).toContain('- **/greet**: Does greet\n')
  expect(stdout.trimEnd()).toMatch(/To invoke a skill programmatically, use the `skill` tool\.$/)
})
