// Checks the shape of `hooks` for `validate`: events that exist, handlers that say what to do. Runs nothing.

const events: ReadonlySet<string> = new Set([
  'SessionStart',
  'UserPromptExpansion',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'SessionEnd',
])

/** What is wrong with a parsed `hooks` field, one text each. */
export function checkHooks(hooks: unknown): readonly string[] {
  if (hooks === undefined) return []
  if (!isRecord(hooks)) return ['Write "hooks" as a map of events']
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (!events.has(event)) return [`Cannot use the hook event "${event}": there are ${[...events].join(', ')}`]
    if (!Array.isArray(groups)) return [`Write the hooks of "${event}" as a list`]
    return groups.flatMap((group: unknown, index) => checkGroup(group, `hooks.${event}[${index}]`))
  })
}

function checkGroup(group: unknown, where: string): readonly string[] {
  if (!isRecord(group) || !Array.isArray(group.hooks)) return [`Write "${where}" as a map with a list "hooks"`]
  const matcher = group.matcher
  const problems = matcher === undefined || typeof matcher === 'string' ? [] : [`Write "${where}.matcher" as a text`]
  return [...problems, ...group.hooks.flatMap((handler: unknown, index) => checkHandler(handler, `${where}.hooks[${index}]`))]
}

function checkHandler(handler: unknown, where: string): readonly string[] {
  if (!isRecord(handler)) return [`Write "${where}" as a map`]
  const type = handler.type ?? 'command'
  if (type === 'command') return typeof handler.command === 'string' ? [] : [`Add "command" to "${where}": it says what to run`]
  if (type === 'http') return typeof handler.url === 'string' ? [] : [`Add "url" to "${where}": it says what to call`]
  return [`Cannot use the handler type ${JSON.stringify(type)} of "${where}": there are command, http`]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
