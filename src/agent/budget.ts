// What an agent may still spend. Tokens and tool calls count for the agent and for all above it, so nesting cannot multiply them (SPEC R8.4);
// turns are each agent's own. A budget that is used up is a result: it is looked at before a turn, so at most one turn goes over.

import type { ModelUsage } from '../models/model.ts'
import type { AgentBudget } from '../protocol/agent-task.ts'

export interface Budget {
  readonly turns: number
  /** Of this agent and those in it. */
  readonly toolCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the whole run. */
  readonly total: { readonly tokens: number; readonly toolCalls: number }
  /** Which end has come, if one has. */
  usedUp(): 'max-turns' | 'max-tokens' | undefined
  countTurn(usage: ModelUsage): void
  countToolCall(): void
  nested(limits: AgentBudget): Budget
}

export function createBudget(limits: AgentBudget): Budget {
  return budgetIn(limits, undefined)
}

interface CountedBudget extends Budget {
  addTokens(usage: ModelUsage): void
}

function budgetIn(limits: AgentBudget, parent: CountedBudget | undefined): CountedBudget {
  let turns = 0
  let toolCalls = 0
  let inputTokens = 0
  let outputTokens = 0

  const addTokens = (usage: ModelUsage): void => {
    inputTokens += usage.inputTokens
    outputTokens += usage.outputTokens
    parent?.addTokens(usage)
  }

  const budget: CountedBudget = {
    get turns() {
      return turns
    },
    get toolCalls() {
      return toolCalls
    },
    get inputTokens() {
      return inputTokens
    },
    get outputTokens() {
      return outputTokens
    },
    get total() {
      return parent ? parent.total : { tokens: inputTokens + outputTokens, toolCalls }
    },
    usedUp: () => {
      if (inputTokens + outputTokens >= limits.maxTokens) return 'max-tokens'
      // What the agents above have left is this one's limit too; their turns are not.
      if (parent?.usedUp() === 'max-tokens') return 'max-tokens'
      return turns >= limits.maxTurns ? 'max-turns' : undefined
    },
    addTokens,
    countTurn: usage => {
      turns += 1
      addTokens(usage)
    },
    countToolCall: () => {
      toolCalls += 1
      parent?.countToolCall()
    },
    nested: nestedLimits => budgetIn(nestedLimits, budget),
  }
  return budget
}
