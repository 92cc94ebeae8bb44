import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import type { ExpansionRequest } from '../../src/expansion/plan.ts'
import { createExpansionPool, type ExpansionPool } from '../../src/pool/expansion-pool.ts'

const unruly = fileURLToPath(new URL('../fixtures/workers/unruly-worker.mjs', import.meta.url))

let opened: ExpansionPool | undefined

function openPool(
  { timeoutMs = 30_000, threads = 1, entry }: { timeoutMs?: number; threads?: number; entry?: string } = { entry: unruly },
): ExpansionPool {
  opened = createExpansionPool({ threads, timeoutMs, heapMb: 32, entry })
  return opened
}

afterEach(() => opened?.close())

const faults: readonly [path: string, code: ErrorCode][] = [
  ['eat', 'WORKER_OUT_OF_MEMORY'],
  ['exit', 'WORKER_FAILED'],
  ['exit-one', 'WORKER_FAILED'],
  ['throw', 'WORKER_FAILED'],
  ['fail', 'SKILL_INVALID'],
  ['old-version', 'INTERNAL'],
  ['nonsense', 'INTERNAL'],
]

test.each(faults)('plan() of a thread that does "%s" fails with %s, and the next plan is not touched', async (path, code) => {
  const pool = openPool()
  await expect(pool.plan(request(path))).rejects.toMatchObject({ code })
  await expect(pool.plan(request('answer'))).resolves.toMatchObject({ segments: [] })
})

test('plan() ends a thread that stalls with WORKER_TIMEOUT, and a plan that waited behind it is served', async () => {
  const pool = openPool({ entry: unruly, timeoutMs: 1_500 })
  const stalled = pool.plan(request('stall'))
  const behind = pool.plan(request('answer'))
  await expect(stalled).rejects.toMatchObject({ code: 'WORKER_TIMEOUT' })
  await expect(behind).resolves.toMatchObject({ segments: [] })
})

test('plan() of a refusal keeps code, message and details', async () => {
  await expect(openPool().plan(request('fail'))).rejects.toMatchObject({ name: 'SkillcellError', message: 'refused', details: { line: 3 } })
})

test('plan() gives the thread neither variables nor arguments of the process', async () => {
  const plan = await openPool().plan(request('environment'))
  expect(plan.segments).toEqual([{ type: 'text', text: '{"names":[],"arguments":[]}' }])
})

test('plan() rejects with the reason of the signal, before it begins, while it waits and while it runs', async () => {
  const pool = openPool()
  await expect(pool.plan(request('answer'), AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  const running = new AbortController()
  const waiting = new AbortController()
  const ran = pool.plan(request('stall'), running.signal)
  const waited = pool.plan(request('answer'), waiting.signal)
  waiting.abort(new Error('while waiting'))
  await expect(waited).rejects.toThrow('while waiting')
  running.abort(new Error('while running'))
  await expect(ran).rejects.toThrow('while running')
  await expect(pool.plan(request('answer'))).resolves.toMatchObject({ segments: [] })
})

test('close() ends plans under way with CLOSED and refuses new ones', async () => {
  const pool = openPool()
  const stalled = pool.plan(request('stall'))
  const refused = expect(stalled).rejects.toMatchObject({ code: 'CLOSED' })
  await pool.close()
  await refused
  await expect(pool.plan(request('answer'))).rejects.toMatchObject({ code: 'CLOSED' })
})

function request(path: string): ExpansionRequest {
  return {
    body: '',
    bodyLine: 1,
    path,
    kind: 'skill',
    argumentsText: '',
    argumentsFile: '/nowhere/arguments',
    argumentNames: [],
    hasArgumentHint: false,
    skillDir: '/nowhere',
    projectDir: '/nowhere',
    sessionId: 'session',
    dialect: 'skillcell',
    maxExportedBytes: 65_536,
  }
}
