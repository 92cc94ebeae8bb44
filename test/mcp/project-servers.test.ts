import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readProjectServers } from '../../src/mcp/project-servers.ts'

function read(content: unknown, { isTrusted = true, environment = {} }: { isTrusted?: boolean; environment?: NodeJS.ProcessEnv } = {}) {
  const workspace = mkdtempSync(join(tmpdir(), 'skillcell-mcp-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  if (content !== undefined) writeFileSync(join(workspace, '.mcp.json'), typeof content === 'string' ? content : JSON.stringify(content))
  return readProjectServers(workspace, { isTrusted, environment })
}

test('readProjectServers() takes what a trusted project names', () => {
  const mcpServers = {
    docs: { type: 'stdio', command: 'docs', args: ['--root', '${ROOT:-/srv}'], env: { KEY: '${KEY}' }, disabled: false },
    web: { type: 'http', url: 'https://example.com/mcp', headers: { authorization: 'Bearer ${KEY}' } },
  }
  const { servers, diagnostics } = read({ mcpServers }, { environment: { KEY: 'k' } })
  expect(diagnostics).toEqual([])
  expect(servers).toMatchObject({
    docs: { command: 'docs', args: ['--root', '/srv'], env: { KEY: 'k' } },
    web: { url: 'https://example.com/mcp', headers: { authorization: 'Bearer k' } },
  })
})

test('readProjectServers() takes nothing of a project that is not trusted, and says so', () => {
  const { servers, diagnostics } = read({ mcpServers: { docs: { command: 'x' } } }, { isTrusted: false })
  expect([servers, diagnostics.map(({ message }) => message)]).toEqual([{}, [expect.stringContaining('not trusted')]])
})

test.each([
  ['{', 1],
  ['[]', 0],
  ['{}', 0],
  [undefined, 0],
  [{ mcpServers: [] }, 1],
  [
    {
      mcpServers: {
        good: { command: 'x' },
        a__b: { command: 'x' },
        sse: { type: 'sse', url: 'http://x' },
        text: 'x',
        both: { command: 'x', url: 'http://x' },
      },
    },
    4,
  ],
  [{ mcpServers: { unset: { command: '${NOT_SET}' } } }, 1],
  [`{"mcpServers":{"__proto__":{"command":"x"}}}`, 1],
  [' '.repeat(1024 * 1024 + 1), 1],
])('readProjectServers() of %.60j gives %i diagnostics and what is sound', (content, count) => {
  const { servers, diagnostics } = read(content)
  expect(diagnostics.length).toBe(count)
  expect(Object.keys(servers).every(name => name === 'good')).toBe(true)
})

test('readProjectServers() says the rule for a name, and where the fault is', () => {
  const mcpServers = { 'a b': { command: 'x' }, env: { command: 'x', env: { KEY: 7 } } }
  const messages = read({ mcpServers }).diagnostics.map(({ message }) => message)
  expect(messages).toEqual([expect.stringMatching(/"a b".*Expected 1 to 64 letters/), expect.stringMatching(/"env".*Expected "command"/)])
})

test.each([
  ['an empty folder, which cells show in place of an absent one', [], 0],
  ['a folder with something in it', ['x'], 1],
])('readProjectServers() takes %s for what it is', (_, names, count) => {
  const workspace = mkdtempSync(join(tmpdir(), 'skillcell-mcp-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  mkdirSync(join(workspace, '.mcp.json'))
  for (const name of names) writeFileSync(join(workspace, '.mcp.json', name), '')
  expect(readProjectServers(workspace, { isTrusted: true, environment: {} }).diagnostics).toHaveLength(count)
})
