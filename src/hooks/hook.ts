// What a hook is: the events there are, what each of them can do, and a handler once it was read. Data only.
// Whether an event can forbid something decides how a broken hook is taken: where it can, no answer is a no.

import { shorten } from '../cut-text.ts'
import type { SourceName } from '../options.ts'

export type HookEventName =
  | 'SessionStart'
  | 'UserPromptExpansion'
  | 'PreToolUse'
  | 'PostToolUse'
  | 'PostToolUseFailure'
  | 'SubagentStart'
  | 'SubagentStop'
  | 'Stop'
  | 'SessionEnd'

interface HookEventKind {
  /** What a matcher is compared with. `nothing`: a matcher has no effect. */
  readonly matches: 'tool' | 'command' | 'agent type' | 'source' | 'reason' | 'nothing'
  /**
   * What exit 2 and `decision: block` do. `forbid`: the act does not happen. `continue`: the agent goes on, with the reason as its next
   * message. `tell`: the act has happened, the model reads the reason. `report`: a person reads it, nothing else.
   */
  readonly block: 'forbid' | 'continue' | 'tell' | 'report'
  /** Plain text on stdout is context for the model. */
  readonly textIsContext: boolean
}

export const hookEvents: Readonly<Record<HookEventName, HookEventKind>> = {
  SessionStart: { matches: 'source', block: 'report', textIsContext: true },
  UserPromptExpansion: { matches: 'command', block: 'forbid', textIsContext: true },
  PreToolUse: { matches: 'tool', block: 'forbid', textIsContext: false },
  PostToolUse: { matches: 'tool', block: 'tell', textIsContext: false },
  PostToolUseFailure: { matches: 'tool', block: 'tell', textIsContext: false },
  SubagentStart: { matches: 'agent type', block: 'report', textIsContext: false },
  SubagentStop: { matches: 'agent type', block: 'continue', textIsContext: false },
  Stop: { matches: 'nothing', block: 'continue', textIsContext: false },
  SessionEnd: { matches: 'reason', block: 'report', textIsContext: false },
}

export const hookEventNames: readonly HookEventName[] = Object.keys(hookEvents).filter(isHookEvent)

export function isHookEvent(name: string): name is HookEventName {
  return Object.hasOwn(hookEvents, name)
}

interface HandlerCommon {
  readonly event: HookEventName
  /** As written; '' is every value. */
  readonly matcher: string
  /** One permission rule that a tool call has to match too. */
  readonly if?: string
  /** As asked for; the runner caps it. */
  readonly timeoutMs?: number
  readonly once: boolean
  /** Shown while it runs. */
  readonly statusMessage?: string
}

export interface CommandHandler extends HandlerCommon {
  readonly type: 'command'
  /** Shell text; a command with `args` is already quoted here. */
  readonly command: string
  readonly shell: 'bash' | 'sh'
}

export interface HttpHandler extends HandlerCommon {
  readonly type: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type HookHandler = CommandHandler | HttpHandler

/** The skill whose hook it is, and its trust. */
export interface HookSkill {
  readonly id: string
  readonly source: SourceName
  /** Absolute path of its file, for diagnostics. */
  readonly path: string
}

/** How a handler is named to people: its event, its skill and what it runs. */
export function nameOfHandler(handler: HookHandler, skill: Pick<HookSkill, 'id'>): string {
  const what = handler.type === 'command' ? handler.command : handler.url
  return `${handler.event} hook "${shorten(what.replace(/\s+/g, ' ').trim(), 80)}" of "${skill.id}"`
}
