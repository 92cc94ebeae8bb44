// What the gate writes of the commands of a skill, and when: all that was decided stands in the audit before anything happens by it.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OnAsk } from '../../src/ask.ts'
import { createRuntime } from '../../src/runtime.ts'

let root = ''
let workspace = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-recorded-')))
  workspace = join(root, 'workspace')
  mkdirSync(join(workspace, '.skillcell/skills/s'), { recursive: true })
  mkdirSync(join(root, 'home'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Runs a skill with these commands; gives what the audit holds at the end, after `seen` had a look at each command that begins. */
async function entriesOf(commands: readonly string[], onAsk?: OnAsk, seen?: () => void): Promise<readonly string[]> {
  const body = commands.map(command => `- !\`${command}\`\n`).join('')
  writeFileSync(join(workspace, '.skillcell/skills/s/SKILL.md'), `---\nname: s\ndescription: d\n---\n${body}`)
  const runtime = await createRuntime({
    cwd: workspace,
    home: join(root, 'home'),
    sandbox: 'off',
    allow: ['Bash(true)', 'Bash(touch one)'],
    deny: ['Bash(rm *)'],
    ...(onAsk && { onAsk }),
  })
  try {
    for await (const { type } of runtime.run('/s')) if (type === 'command.started') seen?.()
  } finally {
    await runtime.close()
  }
  return written()
}

function written(): readonly string[] {
  return readFileSync(join(root, 'home/.local/state/skillcell/local/audit/audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(line => {
      const { type, decision, answer } = JSON.parse(line)
      return answer ?? decision ?? type
    })
}

test('decideAll() has every decision in the audit when the first command begins', async () => {
  let atFirst: readonly string[] | undefined
  const entries = await entriesOf(['true', 'touch one', 'true'], undefined, () => {
    atFirst ??= written()
  })
  expect(atFirst?.slice(0, 4)).toEqual(['run.started', 'allow', 'allow', 'allow'])
  const finished = 'command.finished'
  expect(entries).toEqual(['run.started', 'allow', 'allow', 'allow', finished, finished, finished, 'run.finished'])
})

test('decideAll() has all that was decided in the audit when a person is asked', async () => {
  const atQuestions: (readonly string[])[] = []
  const onAsk: OnAsk = () => {
    atQuestions.push(written())
    return { answer: 'once' }
  }
  await entriesOf(['true', 'touch two', 'true', 'touch three'], onAsk)
  const first = ['run.started', 'allow', 'ask']
  expect(atQuestions).toEqual([first, [...first, 'once', 'allow', 'ask']])
})

test('decideAll() records the refusal and what was decided before it, and nothing of what follows', async () => {
  expect(await entriesOf(['touch one', 'true', 'rm one', 'true'])).toEqual(['run.started', 'allow', 'allow', 'deny', 'run.finished'])
  expect(existsSync(join(workspace, 'one'))).toBe(false)
})

test.each([99, 100, 101, 250])('decideAll() records each of %s allowed commands before a refusal', async count => {
  const entries = await entriesOf([...Array.from({ length: count }, () => 'true'), 'rm one'])
  expect(entries).toEqual(['run.started', ...Array.from({ length: count }, () => 'allow'), 'deny', 'run.finished'])
})
