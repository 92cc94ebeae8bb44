// The example server of the SDK as a source, from end to end: started as a program of its own, its prompt listed, completed and expanded.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createForkWorkspace } from '../fork/support.ts'

const sdk = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/server'))
const program = join(sdk, '..', '..', 'esm', 'examples', 'server', 'simpleStreamableHttp.js')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address.port
}

async function startExample(): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, MCP_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Its output stays open: a server that can no longer say what it does would end.
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      if (String(chunk).includes('listening')) resolve()
    })
    child.once('exit', () => reject(new Error('the example server ended before it listened')))
  })
  return `http://127.0.0.1:${port}/mcp`
}

test('the prompt of the example server of the SDK is a skill', async () => {
  const url = await startExample()
  const runtime = await createForkWorkspace().open({ mcpServers: { example: { url } }, disableBundledSkills: true })
  const { skills, diagnostics } = await runtime.list()
  expect([skills.map(({ id, source }) => [id, source]), diagnostics]).toEqual([[['mcp__example__greeting-template', 'mcp']], []])
  expect(await runtime.complete('/mcp__ex')).toMatchObject([{ text: '/mcp__example__greeting-template' }])
  const { prompt, allowedTools, commands } = await runtime.expand('mcp__example__greeting-template', { args: '"Ada Lovelace"' })
  expect([prompt.includes('Ada Lovelace'), allowedTools, commands]).toEqual([true, [], []])
})
