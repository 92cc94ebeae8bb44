import { expect, test } from 'vitest'
import { promptText } from '../../src/mcp/prompt-text.ts'

const text = (role: string, value: string) => ({ role, content: { type: 'text', text: value } })

test.each([
  [[text('user', 'a')], 'a'],
  [[text('user', 'a'), text('user', 'b')], 'a\n\nb'],
  [[text('user', 'a'), text('assistant', 'b')], 'User: a\n\nAssistant: b'],
  [[{ role: 'user', content: { type: 'image', data: 'x', mimeType: 'image/png' } }], '[image content was left out]'],
  [[{ role: 'user', content: { type: 'resource', resource: { uri: 'file:///a', text: 'body' } } }], 'body'],
  [
    [{ role: 'user', content: { type: 'resource', resource: { uri: 'a:b', blob: 'eA==' } } }],
    '[the resource a:b was left out: it is no text]',
  ],
  [[{ role: 'user', content: { type: 'resource_link', uri: 'a:b', name: 'n' } }], '[resource: a:b]'],
  [[text('user', 'a'), { role: 'system' }], 'a\n\n[a message that cannot be read was left out]'],
  [[text('user', 'a'), { role: 'user', content: { type: 'video' } }], 'a\n\n[content of an unknown kind was left out]'],
])('promptText() of %j', (messages, expected) => expect(promptText(messages)).toBe(expected))

test.each([[[]], [[text('user', ' \n')]]])('promptText() refuses %j', messages =>
  expect(() => promptText(messages)).toThrow(/empty prompt/),
)
