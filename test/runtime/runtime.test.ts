import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import type { RuntimeOptions } from '../../src/options.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'

let root = ''
let opened: Runtime | undefined
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillcell-runtime-')))
  await mkdir(join(root, 'home'))
  await mkdir(join(root, 'project'))
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  await rm(root, { recursive: true, force: true })
})

async function open(options: RuntimeOptions = {}): Promise<Runtime> {
  opened = await createRuntime({
    cwd: join(root, 'project'),
    home: join(root, 'home'),
    sandbox: 'off',
    allow: ['Bash', 'Edit'],
    ...options,
  })
  return opened
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

function skill(name: string, body: string, fields = ''): Promise<void> {
  return write(`project/.skillcell/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n${fields}---\n${body}\n`)
}

async function read(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

const inProject = (name: string): string => join(root, 'project', name)

test('run() tells what happens in order', async () => {
  await skill('s', 'A !`echo one` B !`false` C')
  const run = (await open()).run('/s some text')
  const events = await read(run)
  expect(events.map(event => event.type)).toEqual([
    'run.started',
    'command.started',
    'command.finished',
    'command.started',
    'command.finished',
    'skill.expanded',
    'run.finished',
  ])
  expect(events[0]).toMatchObject({ skill: 's', arguments: { chars: 9 }, trigger: 'user-slash' })
  expect(events[2]).toMatchObject({ index: 0, command: 'echo one', status: 'ok', exitCode: 0, sandbox: 'none' })
  expect(events[4]).toMatchObject({ index: 1, status: 'failed', exitCode: 1 })
  expect(await run.result).toMatchObject({ reason: 'completed', result: { skill: 's', dialect: 'skillcell' } })
})

test('expand() runs nothing when one command is denied, the first or the last', async () => {
  await skill('first', 'A !`touch made-1` B !`echo x`')
  await skill('last', 'A !`echo x` B !`touch made-2`')
  await skill('refused', 'A !`touch made-3` B !`eval "$1"`', 'argument-hint: "[x]"\n')
  const runtime = await open({ deny: ['Bash(touch made-1)', 'Bash(touch made-2)'] })
  await expect(runtime.expand('first')).rejects.toMatchObject({
    code: 'COMMAND_DENIED',
    message: expect.stringMatching(/^Shell command permission check failed for pattern "touch made-1": ./),
    details: { pattern: 'touch made-1', decision: 'deny', rule: 'Bash(touch made-1)' },
  })
  await expect(runtime.expand('last')).rejects.toMatchObject({ code: 'COMMAND_DENIED' })
  await expect(runtime.expand('refused', { args: 'x' })).rejects.toMatchObject({
    code: 'COMMAND_DENIED',
    details: { pattern: 'eval "$1"' },
  })
  for (const name of ['made-1', 'made-2', 'made-3']) expect(existsSync(inProject(name))).toBe(false)
})

test('expand() asks nobody: what would be asked is refused and says so', async () => {
  await skill('s', '!`touch made`')
  const runtime = await open({ allow: [] })
  await expect(runtime.expand('s')).rejects.toMatchObject({ code: 'COMMAND_DENIED', details: { decision: 'ask' } })
  expect(existsSync(inProject('made'))).toBe(false)
})

test('expand() decides with the values of the arguments too, and the stricter answer holds', async () => {
  await skill('s', '!`git log "$1"`', 'argument-hint: "[x]"\n')
  const runtime = await open({ allow: ['Bash(git log *)'], deny: ['Bash(git log --output*)'] })
  await expect(runtime.expand('s', { args: '--output=made' })).rejects.toMatchObject({ code: 'COMMAND_DENIED' })
})

const callers: readonly [fields: string, as: 'user' | 'model', code: string | undefined][] = [
  ['', 'user', undefined],
  ['', 'model', undefined],
  ['user-invocable: false\n', 'user', 'SKILL_NOT_INVOCABLE'],
  ['user-invocable: false\n', 'model', undefined],
  ['disable-model-invocation: true\n', 'user', undefined],
  ['disable-model-invocation: true\n', 'model', 'SKILL_NOT_INVOCABLE'],
]

test.each(callers)('expand() of a skill with %j for a %s', async (fields, as, code) => {
  await skill('s', 'Body', fields)
  const expanding = (await open()).expand('s', { as })
  await (code === undefined ? expect(expanding).resolves.toMatchObject({ skill: 's' }) : expect(expanding).rejects.toMatchObject({ code }))
})

test('expand() puts a text in place of commands that are switched off', async () => {
  await skill('s', 'A !`touch made` B')
  await write('off.yaml', 'shellExecution: false\n')
  const { prompt, commands } = await (await open({ policy: join(root, 'off.yaml') })).expand('s')
  expect(prompt).toContain('A [shell command execution disabled by policy] B')
  expect(commands).toEqual([])
  expect(existsSync(inProject('made'))).toBe(false)
})

test('expand() runs no command of a skill whose restrictions cannot be read, and says why', async () => {
  await skill('s', 'A !`touch made` B', 'context: [fork\n')
  const { prompt, diagnostics } = await (await open()).expand('s')
  expect(prompt).toContain('A [shell command not run: a field of its frontmatter that restricts it cannot be read] B')
  expect(diagnostics.map(diagnostic => diagnostic.code)).toContain('COMMANDS_DISABLED')
  expect(existsSync(inProject('made'))).toBe(false)
})

test('expand() refuses PowerShell before anything runs, and needs no shell where no command is', async () => {
  await skill('s', 'A !`touch made` B', 'shell: powershell\n')
  await skill('text', 'No command', 'shell: powershell\n')
  const runtime = await open()
  await expect(runtime.expand('s')).rejects.toMatchObject({ code: 'SHELL_UNAVAILABLE' })
  await expect(runtime.expand('text')).resolves.toMatchObject({ skill: 'text' })
  expect(existsSync(inProject('made'))).toBe(false)
})

test('expand() runs commands one after the other, or side by side with their places kept', async () => {
  // The first command ends only after the second has run.
  await skill('s', 'A !`until [ -e made ]; do sleep 0.02; done; echo one` B !`touch made; echo two` C')
  const { prompt } = await (await open({ limits: { injectionConcurrency: 2 } })).expand('s')
  expect(prompt).toContain('A one B two C')
})

test('expand() under "claude" ends with the first command that fails, but not where a search finds nothing', async () => {
  await skill('fails', 'A !`exit 3` B !`touch made`')
  await skill('finds', 'A !`echo x | grep y` B !`echo two`')
  const runtime = await open({ dialect: 'claude' })
  await expect(runtime.expand('fails')).rejects.toMatchObject({ code: 'COMMAND_FAILED', details: { pattern: 'exit 3', exitCode: 3 } })
  expect(existsSync(inProject('made'))).toBe(false)
  await expect(runtime.expand('finds')).resolves.toMatchObject({ commands: [{ exitCode: 1 }, { status: 'ok' }] })
})

test('expand() names the limit that ended a command', async () => {
  await skill('s', 'A !`echo begun; sleep 60` B')
  const { prompt, commands } = await (await open({ limits: { commandTimeoutMs: 300, killGraceMs: 100 } })).expand('s')
  expect(prompt).toMatch(/A <error>Command failed \(exit code 124\): begun\n[^<]*300/)
  expect(commands).toMatchObject([{ status: 'timed-out', exitCode: 124 }])
})

const wrongStarts: readonly [text: string, options: object, code: string][] = [
  ['no slash', {}, 'USAGE'],
  ['', {}, 'USAGE'],
  ['/', {}, 'USAGE'],
  ['/nowhere', {}, 'SKILL_NOT_FOUND'],
  ['/s', { sessionId: 'a/b' }, 'USAGE'],
  ['/s', { sessionId: 'x'.repeat(129) }, 'USAGE'],
  ['/forks', {}, 'MODEL_UNAVAILABLE'],
  ['/of-nobody', { model: 'script:none' }, 'AGENT_NOT_FOUND'],
]

test.each(wrongStarts)('run(%j, %j) ends as failed with %s', async (text, options, code) => {
  await skill('s', 'Body')
  await skill('forks', 'Body !`touch made`', 'context: fork\n')
  await skill('of-nobody', 'Body !`touch made`', 'context: fork\nagent: nobody\n')
  const run = (await open()).run(text, options)
  expect(await run.result).toMatchObject({ reason: 'failed', error: { code } })
  expect((await read(run)).map(event => event.type)).toEqual(['run.started', 'run.finished'])
})

test('run() takes a session id of 128 characters', async () => {
  await skill('s', 'Session ${SKILLCELL_SESSION_ID}')
  const { result } = await (await open()).run('/s', { sessionId: 'x'.repeat(128) }).result
  expect(result?.prompt).toContain('x'.repeat(128))
})

test.each(['abort', 'deadline', 'close'] as const)('run() ends a command that runs: by %s', async by => {
  await skill('s', 'A !`touch begun; sleep 60` B !`touch made`')
  const runtime = await open({ limits: { killGraceMs: 100 } })
  const controller = new AbortController()
  const run = runtime.run('/s', { signal: controller.signal, deadlineMs: by === 'deadline' ? 2_000 : undefined })
  if (by !== 'deadline') {
    await begun()
    if (by === 'abort') controller.abort()
    else await runtime.close()
  }
  expect(await run.result).toMatchObject({ reason: by === 'deadline' ? 'timed-out' : 'aborted' })
  expect((await read(run)).filter(event => event.type === 'run.finished')).toHaveLength(1)
  expect(existsSync(inProject('made'))).toBe(false)
})

test('run() removes the argument file at its end, expand() at close()', async () => {
  await skill('s', '!`echo "$ARGUMENTS_FILE"`')
  const runtime = await open()
  const { result } = await runtime.run('/s x').result
  expect(existsSync(result?.prompt.trim().split('\n').at(-1)?.split(' ')[0] ?? root)).toBe(false)
  const { prompt } = await runtime.expand('s')
  const file = prompt.trim().split('\n').at(-1) ?? ''
  expect(existsSync(file)).toBe(true)
  await runtime.close()
  expect(existsSync(file)).toBe(false)
})

test('close() refuses what comes after, and may be called again', async () => {
  await skill('s', 'Body')
  const runtime = await open()
  await runtime.expand('s')
  await runtime.close()
  await runtime.close()
  await expect(runtime.expand('s')).rejects.toMatchObject({ code: 'CLOSED' })
})

test('createRuntime() refuses a workspace that is not there', async () => {
  await expect(createRuntime({ cwd: join(root, 'nowhere') })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await write('file', '')
  await expect(createRuntime({ cwd: join(root, 'file') })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('after close() the process exits by itself', async () => {
  await skill('s', 'A !`echo one` B')
  const program = `
    import { createRuntime } from ${JSON.stringify(new URL('../../dist/src/index.js', import.meta.url).href)}
    const runtime = await createRuntime({ cwd: process.argv[1], home: process.argv[2], allow: ['Bash'] })
    await runtime.expand('s')
    await runtime.run('/s').result
    await runtime.close()
    console.log('closed')
    setTimeout(() => { console.log('held by ' + process.getActiveResourcesInfo()); process.exit(9) }, 20_000).unref()
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, join(root, 'project'), join(root, 'home')], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let closedAt = 0
  child.stdout.on('data', chunk => {
    output += chunk
    closedAt ||= performance.now()
  })
  const [exitCode] = await once(child, 'close')
  expect([exitCode, output]).toEqual([0, 'closed\n'])
  // Not after some time-out of a pool.
  expect(performance.now() - closedAt).toBeLessThan(10_000)
})

async function begun(): Promise<void> {
  while (!existsSync(inProject('begun'))) await new Promise(setImmediate)
}

test('a skill with many commands warns of no leak', async () => {
  await skill('many', Array.from({ length: 12 }, (_, index) => `!\`echo ${index}\``).join(' '))
  const warnings: string[] = []
  const listen = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', listen)
  try {
    await (await open()).expand('many')
    await new Promise(resolve => setImmediate(resolve))
  } finally {
    process.off('warning', listen)
  }
  expect(warnings).toEqual([])
})
