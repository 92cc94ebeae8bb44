// Entry of an agent thread: one fork and those in it, then it ends. What it may do to the world it asks of its host (agent/host.ts).

import type { MessagePort } from 'node:worker_threads'
import { rehearse } from '../src/agent/rehearse.ts'
import { serveAgent, silence } from '../src/agent/serve.ts'
import { createModel } from '../src/models/create-model.ts'
import { recordTurn } from '../src/models/record.ts'
import { allTools } from '../src/tools/all-tools.ts'

silence(process.stdout, process.stderr)

const parts = { createModel, tools: allTools, recordTurn }

// A thread that is started for a task has it by then; only one that waits has the time.
const waiting = setTimeout(() => void rehearse(parts), 20)

export default function agent({ port }: { readonly port: MessagePort }): Promise<void> {
  clearTimeout(waiting)
  return serveAgent(port, parts)
}
