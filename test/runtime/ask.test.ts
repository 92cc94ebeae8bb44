import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AskAnswer, type AskRequest, askInTime, type OnAsk } from '../../src/ask.ts'
import { verifyAudit } from '../../src/audit/audit-verify.ts'
import { createRuntime } from '../../src/runtime.ts'

describe('askInTime()', () => {
  const request = { command: 'make', simpleCommands: ['make'], proposedRules: ['Bash(make *)'], source: 's', reason: 'r' }
  const never = new AbortController().signal

  test('gives the answer', async () => {
    expect(await askInTime(() => ({ answer: 'once' }), request, 1_000, never)).toEqual({ answer: 'once' })
  })

  test('takes silence for a no', async () => {
    expect(await askInTime(() => new Promise(() => {}), request, 5, never)).toEqual({ answer: 'timed-out' })
  })

  test('takes an unknown answer for a no', async () => {
    expect(await askInTime(() => ({ answer: 'sure' }) as unknown as AskAnswer, request, 1_000, never)).toEqual({ answer: 'deny' })
  })

  test.each<[string, OnAsk]>([
    [
      'throws',
      () => {
        throw new Error('/home/ann: no terminal')
      },
    ],
    ['rejects', () => Promise.reject(new Error('/home/ann: no terminal'))],
    [
      'throws what is no error',
      () => {
        throw undefined
      },
    ],
  ])('takes who %s for one who could not ask', async (_, onAsk) => {
    expect(await askInTime(onAsk, request, 1_000, never)).toEqual({ answer: 'unasked' })
  })

  test('ends with the run', async () => {
    const controller = new AbortController()
    let heard: AbortSignal | undefined
    const asked = askInTime(
      ({ signal }) => {
        heard = signal
        return new Promise(() => {})
      },
      request,
      60_000,
      controller.signal,
    )
    const ended = expect(asked).rejects.toThrow('over')
    controller.abort(new Error('over'))
    await ended
    expect(heard?.aborted).toBe(true)
  })
})

describe('a command that no rule covers', () => {
  let root = ''
  let workspace = ''
  let state = ''
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-ask-')))
    workspace = join(root, 'workspace')
    state = join(root, 'home/.local/state/skillcell/local')
    mkdirSync(join(workspace, '.skillcell/skills/s'), { recursive: true })
    mkdirSync(join(root, 'home'))
    writeFileSync(
      join(workspace, '.skillcell/skills/s/SKILL.md'),
      '---\nname: s\ndescription: d\n---\nA !`touch one` B !`touch two && git push` C\n',
    )
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const expand = async (onAsk: OnAsk | undefined, askTimeoutMs = 30_000): Promise<string> => {
    const runtime = await createRuntime({
      cwd: workspace,
      home: join(root, 'home'),
      sandbox: 'off',
      limits: { askTimeoutMs },
      ...(onAsk && { onAsk }),
    })
    try {
      return (await runtime.expand('s')).prompt
    } catch (error) {
      return String((error as { code?: string }).code)
    } finally {
      await runtime.close()
    }
  }

  test('is refused with nobody to ask, and nothing has run', async () => {
    expect(await expand(undefined)).toBe('COMMAND_DENIED')
    expect(existsSync(join(workspace, 'one'))).toBe(false)
  })

  test('says what would have allowed it, where there is nobody to ask', async () => {
    const runtime = await createRuntime({ cwd: workspace, home: join(root, 'home'), sandbox: 'off' })
    const { error } = await runtime.run('/s').result
    await runtime.close()
    expect(error?.message).toContain('nobody to ask; --allow "Bash(touch *)" would allow it')
  })

  test('is asked for with its simple commands and a rule for each, before anything runs', async () => {
    const requests: AskRequest[] = []
    await expand(request => {
      requests.push(request)
      expect(existsSync(join(workspace, 'one'))).toBe(false)
      return { answer: 'once' }
    })
    expect(requests.map(({ command, simpleCommands, proposedRules }) => ({ command, simpleCommands, proposedRules }))).toEqual([
      { command: 'touch one', simpleCommands: ['touch one'], proposedRules: ['Bash(touch *)'] },
      { command: 'touch two && git push', simpleCommands: ['touch two', 'git push'], proposedRules: ['Bash(touch *)', 'Bash(git push *)'] },
    ])
    expect(existsSync(join(workspace, 'two'))).toBe(true)
    expect(existsSync(join(state, 'rules'))).toBe(false)
  })

  test.each<[string, AskAnswer | undefined]>([
    ['deny', { answer: 'deny' }],
    ['no answer in time', undefined],
  ])('%s refuses the whole', async (_what, answer) => {
    let asked = 0
    const onAsk: OnAsk = () => {
      asked += 1
      return answer ?? new Promise(() => {})
    }
    expect(await expand(onAsk, 20)).toBe('COMMAND_DENIED')
    expect(asked).toBe(1)
    expect(existsSync(join(workspace, 'one'))).toBe(false)
  })

  test('one who throws has said no, and nobody is told what was thrown', async () => {
    const runtime = await createRuntime({
      cwd: workspace,
      home: join(root, 'home'),
      sandbox: 'off',
      onAsk: () => {
        throw new Error('/secret/place')
      },
    })
    const { error } = await runtime.run('/s').result
    await runtime.close()
    expect(error).toMatchObject({ code: 'COMMAND_DENIED', message: expect.stringContaining('could not be asked') })
    expect(JSON.stringify(error)).not.toContain('/secret/place')
    expect(existsSync(join(workspace, 'one'))).toBe(false)
  })

  test('always is saved in the state of the user, for this workspace, and not asked again', async () => {
    let asked = 0
    const always: OnAsk = () => {
      asked += 1
      return { answer: 'always' }
    }
    await expand(always)
    // The first answer covers `touch` of the second command, so that one is asked for `git push` alone.
    expect(asked).toBe(2)
    expect(await expand(undefined)).toContain('Base directory')
    const here = await createRuntime({ cwd: workspace, home: join(root, 'home'), sandbox: 'off' })
    expect((await here.decide('touch x')).decision).toBe('allow')
    await here.close()
    const [file = ''] = readdirSync(join(state, 'rules'))
    expect(readFileSync(join(state, 'rules', file), 'utf8')).toContain('- Bash(touch *)')
    expect(statSync(join(state, 'rules', file)).mode & 0o777).toBe(0o600)
    expect(readdirSync(workspace).filter(name => name.endsWith('.yaml'))).toEqual([])
    const other = join(root, 'other')
    mkdirSync(join(other, '.skillcell/skills'), { recursive: true })
    const runtime = await createRuntime({ cwd: other, home: join(root, 'home'), sandbox: 'off' })
    expect((await runtime.decide('touch x')).decision).toBe('ask')
    await runtime.close()
  })

  test('what was asked and answered is in the audit, and the chain holds', async () => {
    await expand(() => ({ answer: 'once' }))
    await expand(undefined)
    const entries = readFileSync(join(state, 'audit/audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; answer?: string; decision?: string })
    expect(entries.map(({ type, answer, decision }) => answer ?? decision ?? type)).toEqual([
      'run.started',
      'ask',
      'once',
      'ask',
      'once',
      'command.finished',
      'command.finished',
      'run.finished',
      'run.started',
      'ask',
      'nobody',
      'run.finished',
    ])
    expect(await verifyAudit(join(state, 'audit'))).toMatchObject({ ok: true, problems: [] })
  })
})

describe('a skill that a model calls', () => {
  let root = ''
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-ask-')))
    for (const [name, fields] of [
      ['plain', ''],
      ['granting', 'allowed-tools: Read\n'],
      ['forking', 'context: fork\n'],
    ] as const) {
      mkdirSync(join(root, 'workspace/.skillcell/skills', name), { recursive: true })
      writeFileSync(join(root, 'workspace/.skillcell/skills', name, 'SKILL.md'), `---\nname: ${name}\ndescription: d\n${fields}---\nBody\n`)
    }
    mkdirSync(join(root, 'home'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const open = (
    options: { readonly onAsk?: OnAsk; readonly deny?: readonly string[]; readonly allow?: readonly string[] } = {},
  ): ReturnType<typeof createRuntime> =>
    createRuntime({ cwd: join(root, 'workspace'), home: join(root, 'home'), sandbox: 'off', ...options })
  const call = async (runtime: Awaited<ReturnType<typeof open>>, name: string, as: 'user' | 'model', sessionId = 's1'): Promise<string> => {
    try {
      await runtime.expand(name, { as, sessionId })
      return 'ok'
    } catch (error) {
      return String((error as { code?: string }).code)
    }
  }

  test.each([
    ['plain', 'model', {}, 'ok'],
    ['granting', 'user', {}, 'ok'],
    ['granting', 'model', {}, 'SKILL_NOT_INVOCABLE'],
    ['forking', 'model', {}, 'SKILL_NOT_INVOCABLE'],
    ['granting', 'model', { allow: ['Skill(granting)'] }, 'ok'],
    ['plain', 'model', { deny: ['Skill(plain)'] }, 'SKILL_NOT_INVOCABLE'],
    ['plain', 'user', { deny: ['Skill(plain)'] }, 'ok'],
  ] as const)('%s by %s under %j: %s', async (name, as, rules, expected) => {
    const runtime = await open(rules)
    expect(await call(runtime, name, as)).toBe(expected)
    await runtime.close()
  })

  test('yes holds for the session, and always for good', async () => {
    let asked = 0
    let answer: AskAnswer = { answer: 'once' }
    const runtime = await open({
      onAsk: request => {
        asked += 1
        expect(request).toMatchObject({ command: 'Execute skill: granting', proposedRules: ['Skill(granting)'] })
        return answer
      },
    })
    for (const session of ['s1', 's1', 's2']) expect(await call(runtime, 'granting', 'model', session)).toBe('ok')
    expect(asked).toBe(2)
    answer = { answer: 'always' }
    expect(await call(runtime, 'granting', 'model', 's3')).toBe('ok')
    expect(await call(runtime, 'granting', 'model', 's4')).toBe('ok')
    expect(asked).toBe(3)
    await runtime.close()
    const later = await open()
    expect(await call(later, 'granting', 'model')).toBe('ok')
    await later.close()
  })

  test('no refuses once, and a saved no for good', async () => {
    const runtime = await open({ onAsk: () => ({ answer: 'deny' }) })
    expect(await call(runtime, 'granting', 'model')).toBe('SKILL_NOT_INVOCABLE')
    await runtime.close()
    const saving = await open({ onAsk: () => ({ answer: 'deny', rules: ['Skill(granting)'] }), allow: ['Skill(granting)'] })
    expect(await call(saving, 'granting', 'model')).toBe('ok')
    await saving.close()
    const asking = await open({ onAsk: () => ({ answer: 'deny', rules: ['Skill(granting)'] }) })
    expect(await call(asking, 'granting', 'model')).toBe('SKILL_NOT_INVOCABLE')
    await asking.close()
    const later = await open({ allow: ['Skill(granting)'] })
    expect(await call(later, 'granting', 'model')).toBe('SKILL_NOT_INVOCABLE')
    await later.close()
  })
})
