import { describe, expect, test } from 'vitest'
import { createShownTexts } from '../../src/shown-texts.ts'
import { anthropicSkillTool, createSkillTool, openAiSkillTool, skillToolSchema } from '../../src/skill-tool.ts'
import { fakeRuntime } from './fake-runtime.ts'

describe('createSkillTool()', () => {
  const callOf = (calls: unknown[] = []) => createSkillTool({ runtime: fakeRuntime(calls), sessionId: 's1' })

  test('invokes for the model, in its session, and gives what the turn needs', async () => {
    const calls: unknown[] = []
    const result = await callOf(calls)({ skill_name: ' /greet ', args: 'Ada' })
    expect(result).toMatchObject({ text: '[Skill "greet" activated]\n\nGreet Ada', isError: false, notice: 'Invoking skill: greet' })
    expect(result.expansion?.allowedTools).toEqual(['Read'])
    expect(calls).toEqual([{ name: 'greet', args: 'Ada', as: 'model', sessionId: 's1' }])
  })

  test('notes a text that was shown, and shows another one', async () => {
    const call = callOf()
    const texts: string[] = []
    for (const args of ['Ada', 'Ada', 'Bob', 'Ada']) texts.push((await call({ skill_name: 'greet', args })).text)
    expect(texts[1]).not.toContain('Greet')
    expect(texts.map(text => text.includes('Greet'))).toEqual([true, false, true, false])
    expect(texts.every(text => text.startsWith('[Skill "greet" activated]\n\n'))).toBe(true)
    expect((await callOf()({ skill_name: 'greet', args: 'Ada' })).text).toBe(texts[0])
  })

  test.each([
    [{ skill_name: 'gret' }, /^Unknown skill: gret; near names: greet$/],
    [{ skill_name: 'secret' }, /^Skill "secret" failed: .*Do not do by other means/],
    [{}, /^Cannot activate a skill: .*skill_name/],
    [undefined, /^Cannot activate/],
    [{ skill_name: 7 }, /^Cannot activate/],
    [{ skill_name: '/' }, /^Cannot activate/],
    [{ skill_name: 'greet', args: ['Ada'] }, /^Cannot activate/],
  ])('answers %j', async (input, text) => {
    const result = await callOf()(input)
    expect([result.isError, result.expansion]).toEqual([true, undefined])
    expect(result.text).toMatch(text)
    expect(result.text).not.toContain('/home/of/host')
  })

  test('rejects with the reason of an abort', async () => {
    const reason = new Error('enough')
    await expect(callOf()({ skill_name: 'greet' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

test('createShownTexts() tells skills of one text apart', () => {
  const shown = createShownTexts()
  expect(shown.answer({ skill: 'a', prompt: 'x' })).toContain('x')
  expect(shown.answer({ skill: 'b', prompt: 'x' })).toBe('[Skill "b" activated]\n\nx')
  expect(shown.answer({ skill: 'a', prompt: 'x' })).toContain('stands above')
})

test('the definitions have one schema, and the listing only where it is given', () => {
  const schema = skillToolSchema()
  expect(schema).toMatchObject({ type: 'object', required: ['skill_name'], additionalProperties: false })
  expect(Object.keys((schema.properties ?? {}) as object)).toEqual(['skill_name', 'args'])
  expect(anthropicSkillTool().input_schema).toEqual(schema)
  expect(openAiSkillTool().function.parameters).toEqual(schema)
  expect(anthropicSkillTool('LIST').description).toBe(`${anthropicSkillTool().description}\n\nLIST`)
  expect(openAiSkillTool('LIST').function.description).toBe(anthropicSkillTool('LIST').description)
})
