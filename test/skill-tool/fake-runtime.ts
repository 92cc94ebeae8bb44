// A runtime that knows one skill, `greet`, and how a refused and a broken one answer.

import { SkillcellError } from '../../src/errors.ts'
import type { Runtime } from '../../src/runtime.ts'

export function fakeRuntime(calls: unknown[] = []): Pick<Runtime, 'expand'> {
  return {
    expand: async (name, { args = '', as, sessionId, signal } = {}) => {
      calls.push({ name, args, as, sessionId })
      signal?.throwIfAborted()
      if (name === 'secret') throw new SkillcellError('SKILL_NOT_INVOCABLE', 'Cannot invoke "secret" for a model')
      if (name !== 'greet') {
        throw new SkillcellError('SKILL_NOT_FOUND', `Unknown skill: ${name}. Looked in /home/of/host`, { details: { near: ['greet'] } })
      }
      return {
        prompt: `Greet ${args}`,
        skill: name,
        baseDir: '/s/greet',
        allowedTools: ['Read'],
        disallowedTools: [],
        dialect: 'skillcell',
        commands: [],
        diagnostics: [],
      }
    },
  }
}
