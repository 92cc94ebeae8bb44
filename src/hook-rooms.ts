// What the hooks of a session need of the other rooms: the one policy decides their commands and addresses, the broker runs the commands
// in a cell, the web room calls the addresses. A hook has the rights of its skill and no more.

import { SkillcellError } from './errors.ts'
import { planLoneCommand } from './expansion/lone-command.ts'
import { expansionRequest } from './expansion-request.ts'
import { gatedCall } from './fork/gated-call.ts'
import type { HookSkill } from './hooks/hook.ts'
import type { HookRooms } from './hooks/run-hooks.ts'
import type { LateRooms } from './late-rooms.ts'
import type { Policy } from './policy/load.ts'
import { matchesCall } from './policy/matches-call.ts'
import { decisionContext } from './policy-setup.ts'
import type { Setup } from './setup.ts'
import type { LoadedSkill } from './skills/skill.ts'
import { type GrantedTools, rightsOf, type ToolGate } from './tool-gate.ts'
import { allTools } from './tools/all-tools.ts'
import { requestPinned, webUrl } from './web/request.ts'

export interface HookRoomsOptions {
  readonly setup: Setup
  readonly policy: Policy
  readonly rooms: LateRooms
  /** Of no run: hooks outlive the one that brought them. */
  readonly gate: ToolGate
  readonly sessionId: string
  /** The skill of a hook, as it was invoked. */
  readonly skillOf: (skill: HookSkill) => { readonly loaded: LoadedSkill; readonly granted: GrantedTools }
}

const connectTimeoutMs = 10_000
const maxAnswerBytes = 1024 * 1024

export function createHookRooms({ setup, policy, rooms, gate, sessionId, skillOf }: HookRoomsOptions): HookRooms {
  return {
    decideCommand: async ({ command, skill: hookSkill }, signal) => {
      const { loaded, granted } = skillOf(hookSkill)
      const planned = planLoneCommand(command, expansionRequest(loaded, { argumentsText: '', argumentsFile: '', sessionId }, setup))
      try {
        await gate.decideAll([planned], loaded.skill, granted, signal)
      } catch (error) {
        if (error instanceof SkillcellError && error.code === 'COMMAND_DENIED') return { decision: 'deny', reason: error.message }
        throw error
      }
      const { script, parameters, environment } = planned
      return { decision: 'allow', script, parameters, environment }
    },
    runCommand: async request => (await rooms.broker()).run(request),
    fetchText: async ({ url: text, method, headers, body, timeoutMs, signal, skill: hookSkill }) => {
      const { loaded, granted } = skillOf(hookSkill)
      const url = webUrl(text)
      const verdict = await gate.decideCall({ tool: 'WebFetch', url: url.href }, rightsOf(loaded.skill, granted), signal)
      if (!verdict.allowed) throw new SkillcellError('COMMAND_DENIED', `Cannot call "${url.host}": ${verdict.reason}`)
      const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const answer = await requestPinned({ url, method, headers, body, maxBytes: maxAnswerBytes, connectTimeoutMs, signal: ended })
      if (answer.truncated)
        throw new SkillcellError('TOOL_FAILED', `Cannot read the answer of "${url.host}": it is longer than ${maxAnswerBytes} bytes`)
      return { status: answer.status, body: answer.body.toString('utf8') }
    },
    matchesRule: (rule, { name, input }) => {
      const tool = allTools.get(name)
      const parsed = tool?.input.safeParse(input)
      // What cannot be compared is told: a hook can only forbid.
      if (!tool || !parsed?.success) return true
      return matchesCall(policy, rule, gatedCall(tool, parsed.data), decisionContext(setup, { extraReadDirectories: [], grants: [] }))
    },
  }
}
