import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import { endpointOf } from '../../src/models/endpoint.ts'

const room = fileURLToPath(new URL('../../src/models/', import.meta.url))

/** All that is loaded together with a file: its imports that are not types, and theirs. */
function loadedWith(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, target = ''] of text.matchAll(/^import\s+(?!type\s)[^'"]*?from '([^']+)'/gm)) {
    if (target.startsWith('.')) loadedWith(join(dirname(file), target), seen)
    else seen.add(target)
  }
  return seen
}

const sdk = /^(ai|@ai-sdk\/.*)$/

test.each(['create-model.ts', 'script.ts', 'record.ts', 'model-name.ts', 'connection.ts'])('%s loads no SDK', file => {
  expect([...loadedWith(join(room, file))].filter(name => sdk.test(name))).toEqual([])
})

test.each([
  ['anthropic.ts', '@ai-sdk/anthropic'],
  ['openai-compatible.ts', '@ai-sdk/openai-compatible'],
])('%s loads only its own', (file, name) => {
  expect([...loadedWith(join(room, file))].filter(each => sdk.test(each))).toEqual([name])
})

test.each([
  [{ provider: 'anthropic', modelId: 'claude-x', apiKey: 'k' } as const, 'anthropic:claude-x'],
  [{ provider: 'openai', modelId: 'llama3:8b', baseUrl: 'http://127.0.0.1:9/v1' } as const, 'openai:llama3:8b'],
  [{ provider: 'script', file: 'a/b.jsonl', content: '' } as const, 'script:a/b.jsonl'],
])('createModel() names the model as people know it', async (connection, name) => {
  expect((await createModel(connection)).name).toBe(name)
})

test.each([
  ['anthropic', undefined, 'https://api.anthropic.com/v1'],
  ['anthropic', 'https://api.anthropic.com', 'https://api.anthropic.com/v1'],
  ['anthropic', 'https://api.anthropic.com/v1/', 'https://api.anthropic.com/v1'],
  ['anthropic', 'https://proxy.test/anthropic', 'https://proxy.test/anthropic/v1'],
  ['anthropic', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1'],
  ['openai', undefined, 'https://api.openai.com/v1'],
  ['openai', 'http://localhost:11434/v1/', 'http://localhost:11434/v1'],
  ['openai', 'https://api.deepseek.test', 'https://api.deepseek.test'],
] as const)('endpointOf() of %s at %s is %s', (provider, baseUrl, expected) => {
  const connection = { provider, modelId: 'm', apiKey: 'k', ...(baseUrl !== undefined && { baseUrl }) }
  expect(endpointOf(connection)).toEqual({ baseUrl: expected, apiKey: 'k' })
})
