import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBudget } from '../../src/agent/budget.ts'

const limits = { maxTurns: 2, maxTokens: 100, maxOutputTokens: 1 }

test.each([
  [99, undefined],
  [100, 'max-tokens'],
  [101, 'max-tokens'],
])('a budget of 100 tokens after %s says %s', (tokens, wanted) => {
  const budget = createBudget(limits)
  budget.countTurn({ inputTokens: tokens - 1, outputTokens: 1 })
  expect(budget.usedUp()).toBe(wanted)
})

test.each([
  [1, undefined],
  [2, 'max-turns'],
  [3, 'max-turns'],
])('a budget of 2 turns after %s says %s', (turns, wanted) => {
  const budget = createBudget(limits)
  for (let turn = 0; turn < turns; turn += 1) budget.countTurn({ inputTokens: 0, outputTokens: 0 })
  expect(budget.usedUp()).toBe(wanted)
})

test('a nested budget ends with its own tokens too, and leaves the rest to its root', () => {
  const root = createBudget(limits)
  const nested = root.nested({ ...limits, maxTokens: 10 })
  nested.countTurn({ inputTokens: 10, outputTokens: 0 })
  expect([nested.usedUp(), root.usedUp()]).toEqual(['max-tokens', undefined])
})

test('for any tree of agents, the root counts what all of them spent, and all end with it', () => {
  const spent = fc.array(fc.record({ agent: fc.nat(5), tokens: fc.nat(40), calls: fc.nat(3) }), { maxLength: 20 })
  fc.assert(
    fc.property(spent, steps => {
      const root = createBudget({ ...limits, maxTurns: 1_000 })
      const agents = [root]
      // Each is nested in the one before: the last is the deepest.
      for (let depth = 0; depth < 5; depth += 1)
        agents.push((agents.at(-1) ?? root).nested({ ...limits, maxTurns: 1_000, maxTokens: 1_000_000 }))
      let tokens = 0
      let calls = 0
      for (const step of steps) {
        const agent = agents[step.agent] ?? root
        agent.countTurn({ inputTokens: step.tokens, outputTokens: 0 })
        for (let call = 0; call < step.calls; call += 1) agent.countToolCall()
        tokens += step.tokens
        calls += step.calls
      }
      for (const agent of agents) {
        expect(agent.total).toEqual({ tokens, toolCalls: calls })
        expect(agent.usedUp()).toBe(tokens >= 100 ? 'max-tokens' : undefined)
      }
    }),
  )
})
