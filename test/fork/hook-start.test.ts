// What a hook that starts is told, and what is told of it.

import { expect, test } from 'vitest'
import { createForkWorkspace, tell } from './support.ts'

test('a hook that starts shows its status in the run that it starts in', async () => {
  const workspace = createForkWorkspace()
  const hook = { command: 'exit 0', statusMessage: 'Looking around' }
  const start = { SessionStart: [{ hooks: [hook, { command: 'true' }] }] }
  workspace.skill('guard', 'Work.', `hooks: ${JSON.stringify(start)}\n`)
  const { events } = await tell(await workspace.open({ allow: ['Bash'] }), '/guard', {})
  const told = events.flatMap(event => (event.type === 'diagnostic' && event.diagnostic.code === 'HOOK_STATUS' ? [event.diagnostic] : []))
  expect(told).toMatchObject([{ severity: 'note', message: 'Looking around', path: expect.stringMatching(/guard\/SKILL\.md$/) }])
})

test('a hook knows its folders by the names of each host', async () => {
  const workspace = createForkWorkspace()
  const names = ['SKILLCELL', 'CLAUDE', 'WAVE'].flatMap(host => [`${host}_SKILL_DIR`, `${host}_PROJECT_DIR`])
  const command = names.map(name => `printf '%s\\n' "$${name}"`).join('; ')
  workspace.skill('guard', 'Work.', `hooks: ${JSON.stringify({ SessionStart: [{ hooks: [{ command }] }] })}\n`)
  const { prompt, baseDir } = await (await workspace.open({ allow: ['Bash'] })).expand('guard')
  const lines = prompt.trimEnd().split('\n').slice(-names.length)
  expect(lines).toEqual(names.map(name => (name.endsWith('SKILL_DIR') ? baseDir : workspace.project)))
})
