// The thread of bench/streaming.ts: a model that says the same word many times, served as an agent or posted as it is.

import { type MessagePort, parentPort } from 'node:worker_threads'
import { serveAgent } from '../src/agent/serve.ts'
import type { Model } from '../src/models/model.ts'

interface Order {
  readonly port: MessagePort
  readonly deltas: number
  readonly word: string
  readonly how: 'channel' | 'port'
}

parentPort?.on('message', ({ port, deltas, word, how }: Order) => {
  if (how === 'port') for (let delta = 0; delta < deltas; delta += 1) port.postMessage({ version: 1, type: 'text.delta', text: word })
  else void serveAgent(port, { createModel: () => talker(deltas, word), tools: new Map(), recordTurn: () => '' })
})

function talker(deltas: number, word: string): Model {
  return {
    name: 'script:talker',
    async *stream() {
      for (let delta = 0; delta < deltas; delta += 1) yield { type: 'text', text: word }
      yield { type: 'finish', reason: 'end', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
}
