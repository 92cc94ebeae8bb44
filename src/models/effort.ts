// How hard a model shall think (SPEC R8.7), in the terms of each provider. A wish, not a condition: a model that takes no such setting is
// asked again without it (sdk-model.ts).

import type { Effort } from './model.ts'

/** Anthropic takes no budget under 1,024, and none as large as all its output, which is 64,000 for most models. */
const minBudgetTokens = 1_024
const maxBudgetTokens = 63_000

const budgetTokens: Readonly<Record<Effort, number>> = { low: 2_048, medium: 8_192, high: 16_384, xhigh: 32_000, max: maxBudgetTokens }

/**
 * From 4.6 on, Claude models decide themselves how long to think and take a level; `xhigh` came with 4.7. All earlier ones, and other
 * models behind the same wire format, take a budget.
 */
export function anthropicEffort(effort: Effort | number, modelId: string): AnthropicEffort {
  const takesLevel = /claude-[a-z]+-(?:4-[6-9](?!\d)|[5-9](?!\d)|\d\d(?!\d))/.test(modelId)
  if (typeof effort === 'string' && takesLevel) {
    const level = effort === 'xhigh' && /-4-6(?!\d)/.test(modelId) ? 'high' : effort
    return { effort: level, thinking: { type: 'adaptive' } }
  }
  const wanted = typeof effort === 'number' ? effort : budgetTokens[effort]
  return { thinking: { type: 'enabled', budgetTokens: Math.min(maxBudgetTokens, Math.max(minBudgetTokens, wanted)) } }
}

// Type aliases, not interfaces: the SDK wants objects with an index signature.
type AnthropicEffort = {
  effort?: Effort
  thinking: { type: 'adaptive' } | { type: 'enabled'; budgetTokens: number }
}

/** Compatible servers know three levels; the two above them are the highest of these, and a number of tokens is the nearest level. */
export function openaiEffort(effort: Effort | number): 'low' | 'medium' | 'high' {
  if (typeof effort === 'number') return effort <= 4_096 ? 'low' : effort <= 12_288 ? 'medium' : 'high'
  return effort === 'low' || effort === 'medium' ? effort : 'high'
}
