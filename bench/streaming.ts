// SPEC R14.6: words of a model that come through an agent's channel, checked, stamped with credit and never far ahead of the reader, against
// the same words posted one by one over a bare port.

import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { packageRoot } from '../src/package-root.ts'
import type { AgentTask } from '../src/protocol/agent-task.ts'
import { openHostEnd } from '../src/protocol/channel-host.ts'
import { atLeast, interleave, type Row, report, shown } from './report.ts'

const deltas = 100_000
const word = 'word '
const rounds = 9

async function measure(): Promise<readonly Row[]> {
  const thread = new Worker(join(packageRoot, 'dist', 'bench', 'streaming-thread.js'), { env: {}, argv: [], execArgv: [] })
  try {
    const rates = await interleave(
      rounds,
      () => perSecond(() => throughChannel(thread)),
      () => perSecond(() => throughPort(thread)),
    )
    return [
      atLeast(
        `${deltas} deltas through the channel : a bare port`,
        rates.a / rates.b,
        0.3,
        '×',
        `channel ${shown(rates.a)}/s, port ${shown(rates.b)}/s`,
      ),
    ]
  } finally {
    await thread.terminate()
  }
}

async function perSecond(stream: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const chars = await stream()
  const tookMs = performance.now() - startedAt
  if (chars !== deltas * word.length) throw new Error(`${chars} characters arrived`)
  return (deltas / tookMs) * 1_000
}

const task: AgentTask = {
  agentId: 'root',
  agentType: 'general-purpose',
  skill: 'bench',
  system: '',
  prompt: '',
  tools: [],
  skillListing: '',
  model: { provider: 'script', file: 'bench.jsonl', content: '' },
  budget: { maxTurns: 1, maxTokens: 1_000, maxOutputTokens: 1_000 },
  isRecording: false,
}

async function throughChannel(thread: Worker): Promise<number> {
  const { port1, port2 } = new MessageChannel()
  let chars = 0
  const end = openHostEnd(port1, task, {
    callTool: async () => ({ type: 'text', output: '', isError: false }),
    onStop: async () => ({}),
    onNestedEnd: async (_, { text }) => ({ type: 'text', output: text, isError: false }),
    onEvent: event => {
      if (event.type === 'text.delta') chars += event.text.length
    },
  })
  thread.postMessage({ port: port2, deltas, word, how: 'channel' }, [port2])
  await end.outcome
  return chars
}

function throughPort(thread: Worker): Promise<number> {
  const { port1, port2 } = new MessageChannel()
  let chars = 0
  let left = deltas
  return new Promise(resolve => {
    port1.on('message', ({ text }: { readonly text: string }) => {
      chars += text.length
      left -= 1
      if (left > 0) return
      port1.close()
      resolve(chars)
    })
    thread.postMessage({ port: port2, deltas, word, how: 'port' }, [port2])
  })
}

await report('streaming', measure)
