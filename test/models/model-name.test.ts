import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelChoice, type ModelName, parseModelName, resolveModel } from '../../src/models/model-name.ts'

test.each<readonly [string, ModelName | undefined]>([
  ['anthropic:claude-x', { type: 'full', provider: 'anthropic', id: 'claude-x' }],
  ['Anthropic:claude-x', { type: 'full', provider: 'anthropic', id: 'claude-x' }],
  ['openai:anthropic/claude-x', { type: 'full', provider: 'openai', id: 'anthropic/claude-x' }],
  ['openai:llama3:8b', { type: 'full', provider: 'openai', id: 'llama3:8b' }],
  ['script:./a talk.jsonl', { type: 'full', provider: 'script', id: './a talk.jsonl' }],
  [' gpt-4o ', { type: 'bare', id: 'gpt-4o' }],
  ['llama3:8b', { type: 'bare', id: 'llama3:8b' }],
  ['inherit', { type: 'inherit' }],
  ['Inherit', { type: 'inherit' }],
  ['m'.repeat(200), { type: 'bare', id: 'm'.repeat(200) }],
  ['m'.repeat(201), undefined],
  ['', undefined],
  ['  ', undefined],
  ['anthropic:', undefined],
  ['script:', undefined],
  ['script:a\nb', undefined],
  ['Claude Sonnet 4.5', undefined],
  ['gpt\u0000', undefined],
  ['gpt\u202e4', undefined],
])('parseModelName() of %j', (text, expected) => {
  expect(parseModelName(text)).toEqual(expected)
})

const aliases = { haiku: 'anthropic:claude-haiku', sonnet: 'claude-sonnet', local: 'openai:llama3:8b', replay: 'script:ci.jsonl' }
const base: ModelChoice = { from: 'skill', aliases, defaultName: 'anthropic:claude-opus', configured: ['anthropic'] }

test.each<readonly [string, Partial<ModelChoice>, string]>([
  ['nothing asked', {}, 'anthropic:claude-opus'],
  ['an alias', { asked: 'haiku' }, 'anthropic:claude-haiku'],
  ['an alias in capitals', { asked: 'Haiku' }, 'anthropic:claude-haiku'],
  ['an alias of a bare id', { asked: 'sonnet' }, 'anthropic:claude-sonnet'],
  ['a flag that is an alias for a script', { asked: 'replay', from: 'flag' }, 'script:ci.jsonl'],
  ['a default that is an alias for a script', { defaultName: 'replay' }, 'script:ci.jsonl'],
  ['an alias for a script, under a script', { defaultName: 'script:x.jsonl', asked: 'replay' }, 'script:x.jsonl'],
  ['an alias of another provider', { asked: 'local' }, 'openai:llama3:8b'],
  ['inherit', { asked: 'inherit' }, 'anthropic:claude-opus'],
  ['inherit, whatever the agent says', { asked: 'inherit', agentModel: 'haiku' }, 'anthropic:claude-opus'],
  ['a bare id', { asked: 'claude-x' }, 'anthropic:claude-x'],
  ['a bare id with an OpenAI default', { asked: 'gpt-4o', defaultName: 'openai:gpt-5' }, 'openai:gpt-4o'],
  ['the agent when the skill says nothing', { agentModel: 'haiku' }, 'anthropic:claude-haiku'],
  ['the skill before the agent', { asked: 'local', agentModel: 'haiku' }, 'openai:llama3:8b'],
  ['the default by its full name', { asked: 'anthropic:claude-opus' }, 'anthropic:claude-opus'],
  ['the default though the list lacks it', { asked: 'claude-opus', allowed: [] }, 'anthropic:claude-opus'],
  ['an alias though the list lacks it', { asked: 'haiku', allowed: [] }, 'anthropic:claude-haiku'],
  ['a full name of the list', { asked: 'openai:gpt-4o', allowed: ['openai:gpt-4o'] }, 'openai:gpt-4o'],
  ['a bare id of the list', { asked: 'claude-x', allowed: ['claude-x'] }, 'anthropic:claude-x'],
  ['a bare id of the list, there in full', { asked: 'claude-x', allowed: ['anthropic:claude-x'] }, 'anthropic:claude-x'],
  ['all of a provider', { asked: 'openai:gpt-4o', allowed: ['openai:*'] }, 'openai:gpt-4o'],
  ['an alias in the list', { asked: 'openai:llama3:8b', allowed: ['local'] }, 'openai:llama3:8b'],
  ['any full name by a flag', { asked: 'openai:gpt-4o', from: 'flag', allowed: [] }, 'openai:gpt-4o'],
  ['a script by a flag', { asked: 'script:x.jsonl', from: 'flag' }, 'script:x.jsonl'],
  ['a flag without a default', { asked: 'openai:gpt-4o', from: 'flag', defaultName: undefined }, 'openai:gpt-4o'],
  ['an alias without a default', { asked: 'haiku', defaultName: undefined }, 'anthropic:claude-haiku'],
  ['a default that is an alias', { defaultName: 'haiku' }, 'anthropic:claude-haiku'],
  ['a default that is a script', { defaultName: 'script:x.jsonl' }, 'script:x.jsonl'],
  ['an alias, under a script', { defaultName: 'script:x.jsonl', asked: 'haiku' }, 'script:x.jsonl'],
  ['an alias that is not configured, under a script', { defaultName: 'script:x.jsonl', asked: 'opus' }, 'script:x.jsonl'],
  ['a bare id, under a script', { defaultName: 'script:x.jsonl', asked: 'gpt-4o' }, 'script:x.jsonl'],
  ['a name of the list, under a script', { defaultName: 'script:x.jsonl', asked: 'openai:a', allowed: ['openai:a'] }, 'script:x.jsonl'],
  ['a flag, under a script', { defaultName: 'script:x.jsonl', asked: 'openai:a', from: 'flag' }, 'openai:a'],
])('resolveModel() of %s', (_, choice, expected) => {
  expect(resolveModel({ ...base, ...choice })).toBe(expected)
})

test.each<readonly [string, Partial<ModelChoice>, string]>([
  ['nothing at all', { defaultName: undefined }, 'none is configured'],
  ['nothing at all, with what to type', { defaultName: undefined }, '--model anthropic:ID, openai:ID or script:FILE'],
  ['an alias for a script by a skill', { asked: 'replay' }, 'only the default model may be'],
  ['an alias for a script by an agent type', { agentModel: 'replay' }, 'only the default model may be'],
  ['a default that is a bare id, with what to type', { defaultName: 'gpt-4o' }, 'anthropic:gpt-4o, openai:gpt-4o or script:FILE'],
  ['inherit without a default', { asked: 'inherit', defaultName: undefined }, 'no default model'],
  ['a bare id without a default', { asked: 'gpt-4o', defaultName: undefined }, 'names no provider'],
  ['a bare id of a flag without a default', { asked: 'gpt-4o', from: 'flag', defaultName: undefined }, 'names no provider'],
  ['a default that is a bare id', { defaultName: 'gpt-4o' }, 'must name its provider'],
  ['a default that inherits', { defaultName: 'inherit' }, 'must name its provider'],
  ['an alias that is not configured', { asked: 'opus' }, 'that alias is not configured'],
  ['an alias of nothing', { asked: 'haiku', aliases: { haiku: ' ' } }, 'not a name of a model'],
  ['an alias of an alias', { asked: 'haiku', aliases: { haiku: 'opus', opus: 'anthropic:x' } }, 'that alias is not configured'],
  ['a name of a prototype', { asked: 'constructor', allowed: [] }, 'not among those allowed'],
  ['a full name without a list', { asked: 'openai:gpt-4o' }, 'not among those allowed'],
  ['a full name of the same provider without a list', { asked: 'anthropic:claude-x' }, 'not among those allowed'],
  ['a full name that the list lacks', { asked: 'openai:gpt-4o', allowed: ['openai:gpt-5'] }, 'not among those allowed'],
  ['a bare id that the list lacks', { asked: 'claude-x', allowed: ['openai:claude-x'] }, 'not among those allowed'],
  ['a wider name than the list', { asked: 'openai:gpt-4o-large', allowed: ['openai:gpt-4o'] }, 'not among those allowed'],
  ['a star', { asked: 'openai:*', allowed: ['openai:gpt-4o'] }, 'not among those allowed'],
  ['a script of a skill', { asked: 'script:x.jsonl' }, 'only a flag or the configuration names a script'],
  ['a script of a skill, though listed', { asked: 'script:x', allowed: ['script:x', 'script:*'] }, 'only a flag or the configuration'],
  ['a script of a skill, under another', { asked: 'script:x', defaultName: 'script:y' }, 'only a flag or the configuration'],
  ['a script of an agent', { agentModel: 'script:x.jsonl' }, 'of the agent type: only a flag'],
  ['a name of an agent that the list lacks', { agentModel: 'openai:gpt-4o', from: 'flag' }, 'of the agent type: it is not among'],
  ['words', { asked: 'Claude Sonnet 4.5' }, 'of the skill: it is not a name'],
])('resolveModel() refuses %s and says what there is', (_, choice, why) => {
  let error: unknown
  try {
    resolveModel({ ...base, ...choice })
  } catch (caught) {
    error = caught
  }
  expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining(why) })
  expect(String(error)).toContain('aliases: ')
  expect(String(error)).toContain('configured providers: anthropic')
  expect(String(error)).toContain(`default: ${'defaultName' in choice ? (choice.defaultName ?? 'none') : 'anthropic:claude-opus'}`)
})

test('resolveModel() gives a skill no script and no provider but by its list, whatever it writes', () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('script:', 'Script:', 'openai:', ' OPENAI:').chain(prefix => fc.string().map(id => prefix + id)),
  )
  fc.assert(
    fc.property(name, fc.constantFrom('skill' as const, 'agent' as const), (asked, from) => {
      try {
        return resolveModel({ asked, from, aliases: {}, defaultName: 'anthropic:claude-opus' }).startsWith('anthropic:')
      } catch {
        return true
      }
    }),
    { numRuns: 500 },
  )
})
