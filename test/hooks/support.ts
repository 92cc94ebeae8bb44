// What the tests of hooks share: a session whose effects are plain functions, handlers as an author writes them, and one event of each kind.

import type { HookCommandResult, HookResponse } from '../../src/hooks/ending.ts'
import type { HookEvent } from '../../src/hooks/event.ts'
import type { HookEventName, HookHandler, HookSkill } from '../../src/hooks/hook.ts'
import { readHooks } from '../../src/hooks/read-hooks.ts'
import type { HookCommandRequest, HookFetchRequest, HookRooms } from '../../src/hooks/run-hooks.ts'
import { createSessionHooks, type SessionHooks } from '../../src/hooks/session-hooks.ts'

export const skill: HookSkill = {
  id: 'guard',
  source: 'project',
  path: '/ws/.claude/skills/guard/SKILL.md',
}

export const events: Readonly<Record<HookEventName, HookEvent>> = {
  SessionStart: { name: 'SessionStart', source: 'startup' },
  UserPromptExpansion: {
    name: 'UserPromptExpansion',
    commandName: 'review',
    commandArgs: '1',
    commandSource: 'project',
    prompt: '/review 1',
  },
  PreToolUse: { name: 'PreToolUse', toolName: 'Bash', toolInput: { command: 'rm x' }, toolUseId: 'call_1' },
  PostToolUse: {
    name: 'PostToolUse',
    toolName: 'Bash',
    toolInput: { command: 'ls' },
    toolUseId: 'call_1',
    toolResponse: 'a',
    durationMs: 5,
  },
  PostToolUseFailure: { name: 'PostToolUseFailure', toolName: 'Bash', toolInput: {}, toolUseId: 'call_1', error: 'no' },
  SubagentStart: { name: 'SubagentStart', agentId: 'a1', agentType: 'Explore' },
  SubagentStop: { name: 'SubagentStop', agentId: 'a1', agentType: 'Explore', stopHookActive: false, lastAssistantMessage: 'done' },
  Stop: { name: 'Stop', stopHookActive: false, lastAssistantMessage: 'done' },
  SessionEnd: { name: 'SessionEnd', reason: 'other' },
}

/** Handlers of one event, read as from a frontmatter; throws when they cannot be read. */
export function handlersOf(event: HookEventName, handlers: readonly object[], matcher?: string): readonly HookHandler[] {
  const read = readHooks({ [event]: [{ ...(matcher !== undefined && { matcher }), hooks: handlers }] }, { checkRule: () => undefined })
  if (!read.isWhole) throw new Error(read.problems.map(problem => problem.message).join('; '))
  return read.handlers
}

export const exited = (exitCode: number, output = ''): HookCommandResult => ({ reason: 'exited', exitCode, output, truncated: false })

export interface FakeSession {
  readonly hooks: SessionHooks
  readonly commands: HookCommandRequest[]
  readonly requests: HookFetchRequest[]
}

type FakeRooms = Partial<Omit<HookRooms, 'runCommand' | 'fetchText'>> & {
  readonly command?: (request: HookCommandRequest) => HookCommandResult | Promise<HookCommandResult>
  readonly fetch?: (request: HookFetchRequest) => HookResponse | Promise<HookResponse>
}

export function fakeSession({ command, fetch, ...rooms }: FakeRooms = {}): FakeSession {
  const commands: HookCommandRequest[] = []
  const requests: HookFetchRequest[] = []
  const hooks = createSessionHooks(
    { sessionId: 'session-1', workspace: '/ws', maxTimeoutMs: () => 120_000 },
    {
      decideCommand: ({ command: script }) => ({ decision: 'allow', script, parameters: [], environment: {} }),
      matchesRule: () => true,
      ...rooms,
      runCommand: async request => {
        commands.push(request)
        return command ? await command(request) : exited(0)
      },
      fetchText: async request => {
        requests.push(request)
        return fetch ? await fetch(request) : { status: 200, body: '' }
      },
    },
  )
  return { hooks, commands, requests }
}

export const never = (): AbortSignal => new AbortController().signal
