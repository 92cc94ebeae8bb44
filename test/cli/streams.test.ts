// What happens around the work: signals, readers that go away, questions that come one by one, files that are left.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { placeOfIds } from '../../src/process-identity.ts'
import { ended, openPlace, type Place } from './command-line.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace()
})
afterEach(() => place.remove())

const common = (): readonly string[] => ['--cwd', place.project, '--home', place.home]

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a run with its last event, exit code 130, and nothing left running', async name => {
  // The number of seconds is the mark of our own processes: in a cell their numbers are others.
  const seconds = `3${process.pid}${Date.now()}`
  await place.skill('waits', `W !\`sleep ${seconds} & echo yes > begun; sleep ${seconds}\``)
  const child = place.start(['run', '/waits', '--json', '--allow', 'Bash', '--allow', 'Edit', ...common()])
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => {
    lines.push(line)
    if (line.includes('command.started')) void untilWritten(join(place.project, 'begun')).then(() => child.kill(name))
  })
  const [exitCode] = await once(child, 'close')
  expect(exitCode).toBe(130)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'run.finished', reason: 'aborted', error: { code: 'ABORTED' } })
  expect(await processesWith(seconds)).toEqual([])
})

test('a second SIGINT ends a run that does not end, and its last event is still told', async () => {
  await place.skill('waits', "W !`trap '' TERM; echo yes > begun; sleep 20; sleep 20`")
  const child = place.start(['run', '/waits', '--json', '--sandbox', 'off', '--allow', 'Bash', '--allow', 'Edit', ...common()])
  const end = ended(child)
  await untilWritten(join(place.project, 'begun'))
  // Two that come at once are one: again until it is over.
  const again = setInterval(() => child.kill('SIGINT'), 20)
  const { exitCode, stdout } = await end
  clearInterval(again)
  expect(exitCode).toBe(130)
  const events = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(events.at(-1)).toMatchObject({
    type: 'run.finished',
    reason: 'aborted',
    error: { code: 'ABORTED', message: expect.stringContaining('twice') },
  })
  expect(events.map(event => event.sequence)).toEqual(events.map((_, index) => index))
  expect(events.filter(event => event.type === 'run.finished')).toHaveLength(1)
})

test('SIGINT while the program loads ends it with exit code 130 and one line', async () => {
  for (const argv of [['run', '/none', '--json'], ['list']]) {
    // The first thing that the entry does is to watch for it; the reader of the manifest comes later.
    const child = place.start([...argv, ...common()], { NODE_OPTIONS: `--import=${await interrupting(place)}` })
    const { exitCode, stderr, stdout } = await ended(child)
    expect(exitCode).toBe(130)
    expect(`${stdout}${stderr}`.match(/interrupted/gi)).toHaveLength(1)
  }
})

/** A module that interrupts its process as soon as somebody watches for that. */
function interrupting({ write }: Place): Promise<string> {
  return write('interrupting.mjs', `process.on('newListener', name => name === 'SIGINT' && process.kill(process.pid, 'SIGINT'))\n`)
}

test('SIGINT while stdin is waited for ends at once', async () => {
  const child = place.start(['policy', 'check', '--stdin', ...common()])
  child.stdin.write('{"id":1,"command":"ls"}\n')
  await once(child.stdout, 'data')
  const end = ended(child)
  child.kill('SIGINT')
  expect((await end).exitCode).toBe(130)
})

test('a reader that goes away is no error', async () => {
  const questions = Array.from({ length: 5_000 }, (_, id) => `${JSON.stringify({ id, command: 'ls' })}\n`).join('')
  const child = place.start(['policy', 'check', '--stdin', ...common()])
  child.stdin.on('error', () => {})
  child.stdin.end(questions)
  await once(child.stdout, 'data')
  const end = ended(child)
  child.stdout.destroy()
  expect(await end).toMatchObject({ exitCode: 0, stderr: '' })
})

test('policy check --stdin answers each line before the next one comes', async () => {
  const child = place.start(['policy', 'check', '--stdin', ...common()])
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (question: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(question)}\n`)
    const { value } = await answers.next()
    return JSON.parse(value)
  }
  expect(await ask({ id: 'a', command: 'curl x' })).toMatchObject({ id: 'a', decision: 'ask' })
  expect(await ask({ id: 'b', command: 'curl x', rules: { allow: ['Bash(curl *)'] } })).toMatchObject({
    id: 'b',
    decision: 'allow',
    rule: 'Bash(curl *)',
  })
  // The rules of one line are gone with it.
  expect(await ask({ id: 'c', command: 'curl x' })).toMatchObject({ id: 'c', decision: 'ask' })
  child.stdin.end()
  const [exitCode] = await once(child, 'close')
  expect(exitCode).toBe(0)
})

test('policy check --stdin writes every answer before it ends, in order, and only a deny has an exit code', async () => {
  const questions = Array.from({ length: 3_000 }, (_, id) => ({ id, command: id === 1_234 ? 'curl x' : 'ls' }))
  const stdin = questions.map(question => `${JSON.stringify(question)}\n`).join('')
  const { stdout, exitCode } = await place.run(['policy', 'check', '--stdin', '--deny', 'Bash(curl *)'], { stdin })
  const answers = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  expect(answers.map(answer => answer.id)).toEqual(questions.map(question => question.id))
  expect(exitCode).toBe(3)
})

const wrongLines: readonly [what: string, line: string][] = [
  ['no JSON', '{"id":'],
  ['no object', '[]'],
  ['no command', '{"id":1}'],
  ['a rule that is none', '{"id":1,"command":"ls","rules":{"allow":["Nonsense("]}}'],
  ['rules of an unknown kind', '{"id":1,"command":"ls","rules":{"alow":["Bash"]}}'],
  ['rules that are no list', '{"id":1,"command":"ls","rules":{"allow":"Bash"}}'],
]

test.each(wrongLines)('policy check --stdin answers a line with %s as deny with an error, and goes on', async (_, line) => {
  const { stdout, exitCode } = await place.run(['policy', 'check', '--stdin'], { stdin: `${line}\n{"id":2,"command":"ls"}` })
  const [wrong, right] = stdout
    .split('\n')
    .filter(Boolean)
    .map(text => JSON.parse(text))
  expect(wrong).toMatchObject({ decision: 'deny', error: { code: expect.stringMatching(/^(USAGE|POLICY_INVALID)$/) } })
  expect(right).toMatchObject({ id: 2, decision: 'allow' })
  expect(exitCode).toBe(2)
})

test('the argument file is private, is there while the process runs, and goes with it; what dead ones left goes too', async () => {
  const folder = join(place.home, '.local/state/skillcell/local/arguments')
  const dead = join(folder, `999999999-1-${placeOfIds()}`, 'run_1')
  const foreign = join(folder, '1-1-1', 'run_1')
  for (const left of [dead, foreign]) {
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'arguments'), 'secret')
  }
  await place.skill('shows', 'P !`stat -c "%a %n" "$ARGUMENTS_FILE" "$(dirname "$ARGUMENTS_FILE")"` T ${ARGUMENTS_FILE}')
  const { stdout } = await place.run(['expand', 'shows', '--args', 'x', '--allow', 'Bash'])
  const [, mode, path] = /P (\d+) (\S+)/.exec(stdout) ?? []
  expect(mode).toBe('600')
  expect(stdout).toContain(`700 ${path?.replace('/arguments', '')?.slice(0, 5)}`)
  expect(path?.startsWith(folder)).toBe(true)
  expect(await readdir(folder)).toEqual(['1-1-1'])
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(existsSync(path ?? folder)).toBe(false)
})

async function processesWith(word: string): Promise<string[]> {
  const numbers = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(numbers.map(number => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter(line => line.includes(word))
}

/** The command has begun. */
async function untilWritten(path: string): Promise<void> {
  for (;;) {
    if (existsSync(path) && (await readFile(path, 'utf8')) !== '') return
    await new Promise(setImmediate)
  }
}
