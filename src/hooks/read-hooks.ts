// The `hooks` of a frontmatter → checked handlers (SPEC R10.3). What cannot be read is a problem that says what to write; runs nothing.
// A hook can only forbid, so one that cannot be read restricts its skill (SPEC R2.5): see `isWhole`.

import { isRecord } from '../is-record.ts'
import type { HookEventName, HookHandler } from './hook.ts'
import { hookEventNames, hookEvents, isHookEvent } from './hook.ts'
import { compileMatcher, toolHint } from './matcher.ts'
import { readHandler } from './read-handler.ts'

interface HookProblem {
  /** For people, with the place: `hooks.PreToolUse[0].hooks[1]`. */
  readonly message: string
  /** Something that may forbid is lost with it. Else the rest holds: an event of other hosts, a value that is taken otherwise. */
  readonly restricts: boolean
}

interface ReadHooks {
  readonly handlers: readonly HookHandler[]
  readonly problems: readonly HookProblem[]
  /** False: the skill is not for a model, grants no tools and runs no injected command, though its readable hooks are kept. */
  readonly isWhole: boolean
}

interface ReadHooksOptions {
  /** What is wrong with a permission rule, if something is: the policy's. */
  readonly checkRule: (rule: string) => string | undefined
}

const maxHandlers = 64
const maxProblems = 50

// Events that other hosts have and that never happen here. What they would forbid never happens either.
const foreignEvents: ReadonlySet<string> = new Set(
  [
    'Setup UserPromptSubmit PermissionRequest PermissionDenied PostToolBatch Notification MessageDisplay TaskCreated TaskCompleted StopFailure',
    'TeammateIdle InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate WorktreeRemove PreCompact PostCompact',
    'Elicitation ElicitationResult',
  ].flatMap(line => line.split(' ')),
)

/** Reads a parsed `hooks` field. Never throws; `undefined` has no handlers. */
export function readHooks(hooks: unknown, options: ReadHooksOptions): ReadHooks {
  const problems: HookProblem[] = []
  const tell = (message: string, restricts: boolean): void => void problems.push({ message, restricts })
  const handlers: HookHandler[] = []
  if (hooks !== undefined && hooks !== null && !isRecord(hooks)) tell('Write "hooks" as a map of events', true)
  for (const [event, groups] of isRecord(hooks) ? Object.entries(hooks) : []) {
    if (!isHookEvent(event)) tell(unknownEvent(event), !foreignEvents.has(event))
    else if (groups === null) continue
    else if (!Array.isArray(groups)) tell(`Write the hooks of "${event}" as a list`, true)
    else
      groups.forEach((group: unknown, index) => {
        handlers.push(...readGroup(event, group, `hooks.${event}[${index}]`, tell, options))
      })
  }
  if (handlers.length > maxHandlers) tell(`Write fewer hooks: there are ${handlers.length}, and ${maxHandlers} are the limit`, true)
  const more = problems.length - maxProblems
  const told = more > 0 ? [...problems.slice(0, maxProblems), { message: `And ${more} more like these`, restricts: false }] : problems
  return { handlers: handlers.slice(0, maxHandlers), problems: told, isWhole: problems.every(problem => !problem.restricts) }
}

function unknownEvent(event: string): string {
  const known = `there are ${hookEventNames.join(', ')}`
  if (foreignEvents.has(event)) return `The hook event "${event}" never happens here, and its hooks have no effect: ${known}`
  return `Cannot use the hook event ${JSON.stringify(event.slice(0, 100))}: ${known}`
}

type Tell = (message: string, restricts: boolean) => void

function readGroup(event: HookEventName, group: unknown, where: string, tell: Tell, options: ReadHooksOptions): HookHandler[] {
  if (!isRecord(group) || !Array.isArray(group.hooks)) {
    tell(`Write "${where}" as a map with a list "hooks"`, true)
    return []
  }
  for (const key of Object.keys(group)) {
    if (key !== 'matcher' && key !== 'hooks') tell(`"${where}" has a key "${key}" without effect: there are matcher, hooks`, false)
  }
  const matcher = readMatcher(event, group.matcher, where, tell)
  return group.hooks.flatMap((handler: unknown, index) => {
    const read = readHandler(handler, { event, matcher, where: `${where}.hooks[${index}]`, tell, checkRule: options.checkRule })
    return read ? [read] : []
  })
}

/** One that cannot be read is '' and matches everything: the skill is restricted, and what is left of the guard guards more. */
function readMatcher(event: HookEventName, matcher: unknown, where: string, tell: Tell): string {
  if (matcher === undefined || matcher === null) return ''
  if (typeof matcher !== 'string') {
    tell(`Write "${where}.matcher" as a text`, true)
    return ''
  }
  const { problem, hint = hookEvents[event].matches === 'tool' ? toolHint(matcher) : undefined } = compileMatcher(matcher)
  if (problem !== undefined) {
    tell(`Mend "${where}.matcher": ${problem}`, true)
    return ''
  }
  if (hookEvents[event].matches === 'nothing' && matcher.trim() !== '' && matcher.trim() !== '*')
    tell(`"${where}.matcher" has no effect: ${event} has nothing to match`, false)
  if (hint !== undefined) tell(`Mend "${where}.matcher": ${hint}`, false)
  return matcher.trim()
}
