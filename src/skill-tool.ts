// The Skill tool for an agent that is not ours (SPEC R9.3, R9.4): its definition in the shape that each kind of host wants, and the
// handler behind all of them. Policy, audit and limits are the runtime's; this only puts a call and its answer into words.

import { z } from 'zod'
import { messageOf, SkillcellError } from './errors.ts'
import type { ExpansionResult } from './events.ts'
import type { Runtime } from './runtime.ts'
import { schemaProblem } from './schema-problem.ts'
import { createShownTexts } from './shown-texts.ts'

/** As the listing names it; `Skill` means the same (SPEC R2.3). */
export const skillToolName = 'skill'

export interface SkillToolInput {
  readonly skill_name: string
  readonly args?: string | undefined
}

const input: z.ZodType<SkillToolInput, SkillToolInput> = z.object({
  skill_name: z.string().min(1).max(300).describe('The name of the skill, as the list of available skills shows it, without a slash'),
  args: z.string().optional().describe('What the skill works on, as one text, the way a user would type it after the name'),
})

const description = [
  'Activates a skill: instructions for one kind of task that come with files and tested commands.',
  'When a skill of the list fits the task, activate it before you begin, and follow the text that comes back.',
  'Use only names of the list. Do not activate a skill again whose text already stands in this conversation, unless its arguments differ.',
].join(' ')

/** JSON Schema of the input. */
export function skillToolSchema(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return { ...schema, additionalProperties: false }
}

export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: Record<string, unknown> & { readonly type: 'object' }
}

/** For `tools` of Anthropic's Messages API. `listing` is that of `runtime.list({ for: 'model' })`, for hosts that put it into the tool. */
export function anthropicSkillTool(listing: string = ''): AnthropicTool {
  return { name: skillToolName, description: withListing(listing), input_schema: { ...skillToolSchema(), type: 'object' } }
}

export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: Record<string, unknown> }
}

/** For `tools` of OpenAI's chat completions and what is compatible with them. */
export function openAiSkillTool(listing: string = ''): OpenAiTool {
  return { type: 'function', function: { name: skillToolName, description: withListing(listing), parameters: skillToolSchema() } }
}

export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: z.ZodType<SkillToolInput, SkillToolInput>
  readonly execute: (input: SkillToolInput, options?: { readonly abortSignal?: AbortSignal }) => Promise<string>
}

/** For `tools` of the AI SDK: `{ skill: aiSdkSkillTool(handler) }`. */
export function aiSdkSkillTool(handler: SkillToolHandler, listing: string = ''): AiSdkTool {
  return {
    description: withListing(listing),
    inputSchema: input,
    execute: async (given, options = {}) => (await handler(given, { ...(options.abortSignal && { signal: options.abortSignal }) })).text,
  }
}

export interface SkillToolResult {
  /** For the model. */
  readonly text: string
  readonly isError: boolean
  /** For a person, at the start of the call. */
  readonly notice: string
  /** What the host needs for the rest of the turn: `allowedTools`, `model`, `effort`. Missing when the call failed. */
  readonly expansion?: ExpansionResult
}

/** Answers one call. Rejects only when `signal` was aborted: what goes wrong else is an answer. */
export type SkillToolHandler = (input: unknown, options?: { readonly signal?: AbortSignal }) => Promise<SkillToolResult>

export interface SkillToolOptions {
  readonly runtime: Pick<Runtime, 'expand'>
  /** One conversation: what was activated in it is not written out again. */
  readonly sessionId: string
}

export function createSkillTool({ runtime, sessionId }: SkillToolOptions): SkillToolHandler {
  const shown = createShownTexts()
  return async (given, { signal } = {}) => {
    const parsed = input.safeParse(withoutSlash(given))
    if (!parsed.success) {
      const text = `Cannot activate a skill: ${schemaProblem(parsed.error)}. Wanted: {"skill_name": "NAME", "args": "TEXT"}`
      return { text, isError: true, notice: 'Invoking skill: (no name)' }
    }
    const { skill_name: name, args = '' } = parsed.data
    const notice = `Invoking skill: ${name}`
    try {
      const expansion = await runtime.expand(name, { args, sessionId, as: 'model', ...(signal && { signal }) })
      return { text: shown.answer(expansion), isError: false, notice, expansion }
    } catch (error) {
      signal?.throwIfAborted()
      return { text: failureText(name, error), isError: true, notice }
    }
  }
}

function withListing(listing: string): string {
  return listing === '' ? description : `${description}\n\n${listing}`
}

/** Models write the slash of the list, too. */
function withoutSlash(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('skill_name' in given) || typeof given.skill_name !== 'string') return given
  return { ...given, skill_name: given.skill_name.trim().replace(/^\//, '') }
}

/** No path of the host: a model has no use for it. */
function failureText(name: string, error: unknown): string {
  if (error instanceof SkillcellError && error.code === 'SKILL_NOT_FOUND') {
    const near = Array.isArray(error.details.near) ? error.details.near.filter(each => typeof each === 'string') : []
    return `Unknown skill: ${name}${near.length > 0 ? `; near names: ${near.join(', ')}` : ''}`
  }
  const refused = error instanceof SkillcellError && (error.code === 'SKILL_NOT_INVOCABLE' || error.code === 'COMMAND_DENIED')
  const advice = refused ? `. Do not do by other means what it would have done; the user can type /${name}` : ''
  return `Skill "${name}" failed: ${messageOf(error)}${advice}`
}
