// Entry of an expansion thread. It runs only our code, keeps nothing between tasks and answers every task,
// a fault of planExpansion() too: what is thrown here would lose its class on the way.

import { resourceLimits } from 'node:worker_threads'
import { SkillcellError } from '../src/errors.ts'
import { planExpansion } from '../src/expansion/expand.ts'
import type { ExpansionPlan } from '../src/expansion/plan.ts'
import { type PlanReply, parsePlanMessage, protocolVersion } from '../src/protocol/messages.ts'
import { toWireError } from '../src/protocol/wire-error.ts'

// Many placeholders times long arguments: strings that share their pieces are small here and would be copied out in full,
// into the heap of the host, which nothing limits.
const shareOfHeap = 1 / 4
const maxPlanChars = (resourceLimits?.maxOldGenerationSizeMb ?? 128) * 1024 * 1024 * shareOfHeap

export default function expand(message: unknown): PlanReply {
  try {
    const plan = planExpansion(parsePlanMessage(message).request)
    checkSize(plan)
    return { version: protocolVersion, type: 'expansion.planned', plan }
  } catch (error) {
    return { version: protocolVersion, type: 'expansion.failed', error: toWireError(error) }
  }
}

function checkSize({ segments, commands }: ExpansionPlan): void {
  let chars = 0
  for (const segment of segments) chars += segment.type === 'text' ? segment.text.length : 0
  for (const { script, parameters, variables, decisionTexts } of commands)
    for (const text of [script, ...parameters, ...Object.values(variables), ...decisionTexts]) chars += text.length
  if (chars <= maxPlanChars) return
  throw new SkillcellError(
    'WORKER_OUT_OF_MEMORY',
    `Cannot expand: the prompt would have ${chars} characters, and at most ${maxPlanChars} fit`,
  )
}
