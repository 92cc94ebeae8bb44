// The sums of an agent's work in words (SPEC R8.5), for its result and for whoever watches it.

/** `Invoked skill: NAME (3 tools | 1,234 tokens)` */
export function agentSummary(skill: string, toolCalls: number, tokens: number): string {
  return `Invoked skill: ${skill} (${agentSums(toolCalls, tokens)})`
}

/** `3 tools | 1,234 tokens` */
export function agentSums(toolCalls: number, tokens: number): string {
  return `${counted(toolCalls, 'tool')} | ${counted(tokens, 'token')}`
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
