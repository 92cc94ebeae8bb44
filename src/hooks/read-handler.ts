// One handler of a hook as parsed → checked. Every value that is not as wanted is told with its place; a value that would make a handler
// forbid less (a timeout, `once`, `if`) is dropped and the handler kept, since a hook can only forbid.

import { isRecord } from '../is-record.ts'
import { type HookEventName, type HookHandler, hookEvents } from './hook.ts'

interface HandlerPlace {
  readonly event: HookEventName
  readonly matcher: string
  /** For people. */
  readonly where: string
  readonly tell: (message: string, restricts: boolean) => void
  readonly checkRule: (rule: string) => string | undefined
}

const foreignTypes: readonly unknown[] = ['prompt', 'agent', 'mcp_tool']
const commonKeys = ['type', 'if', 'timeout', 'once', 'statusMessage']
const keysOf = { command: ['command', 'args', 'shell', 'async', 'asyncRewake'], http: ['url', 'headers', 'allowedEnvVars'] }
const maxCommandChars = 10_000
const maxHeaders = 32
// Written by the one who sends, from what is sent.
const ownHeaders: ReadonlySet<string> = new Set(
  'host connection content-length content-type transfer-encoding te trailer upgrade expect keep-alive proxy-connection proxy-authorization'.split(
    ' ',
  ),
)

export function readHandler(handler: unknown, place: HandlerPlace): HookHandler | undefined {
  const { where, tell, event } = place
  if (!isRecord(handler)) {
    tell(`Write "${where}" as a map`, true)
    return undefined
  }
  const type = handler.type ?? 'command'
  if (type !== 'command' && type !== 'http') {
    const isForeign = foreignTypes.includes(type)
    tell(
      `Cannot use the handler type ${JSON.stringify(type)} of "${where}": there are command, http`,
      !isForeign || hookEvents[event].block === 'forbid',
    )
    return undefined
  }
  for (const key of Object.keys(handler)) {
    if (!commonKeys.includes(key) && !keysOf[type].includes(key))
      tell(`"${where}" has a key "${key.slice(0, 100)}" without effect: there are ${[...commonKeys, ...keysOf[type]].join(', ')}`, false)
  }
  const common = { event, matcher: place.matcher, ...readCommon(handler, place) }
  if (type === 'command') {
    const command = readCommand(handler, place)
    return command && { type, ...common, ...command }
  }
  const request = readRequest(handler, place)
  return request && { type, ...common, ...request }
}

type Given = Readonly<Record<string, unknown>>

function readCommon(
  handler: Given,
  { event, where, tell, checkRule }: HandlerPlace,
): Pick<HookHandler, 'if' | 'timeoutMs' | 'once' | 'statusMessage'> {
  const { timeout, once, statusMessage, if: rule } = handler
  const isTime = typeof timeout === 'number' && Number.isFinite(timeout) && timeout > 0
  if (timeout !== undefined && !isTime) tell(`Write "${where}.timeout" as a number of seconds above 0`, false)
  if (once !== undefined && typeof once !== 'boolean') tell(`Write "${where}.once" as true or false: until then the hook stays`, false)
  if (statusMessage !== undefined && typeof statusMessage !== 'string') tell(`Write "${where}.statusMessage" as a text`, false)
  const usable = typeof rule === 'string' ? rule : undefined
  if (rule !== undefined && usable === undefined) tell(`Write "${where}.if" as one rule: until then the hook runs without it`, false)
  const problem = usable === undefined ? undefined : checkRule(usable)
  if (problem !== undefined) tell(`Mend "${where}.if": ${problem}; until then the hook runs without it`, false)
  if (usable !== undefined && hookEvents[event].matches !== 'tool')
    tell(`Remove "${where}.if": ${event} is about no tool, and with it the hook never runs`, hookEvents[event].block === 'forbid')
  return {
    once: once === true,
    ...(isTime && { timeoutMs: Math.max(1, Math.round(timeout * 1_000)) }),
    ...(typeof statusMessage === 'string' && { statusMessage: statusMessage.slice(0, 500) }),
    ...(usable !== undefined && problem === undefined && { if: usable }),
  }
}

function readCommand(handler: Given, { where, tell }: HandlerPlace): { command: string; shell: 'bash' | 'sh' } | undefined {
  const { command, args, shell = 'bash', async: isAsync, asyncRewake } = handler
  if (typeof command !== 'string' || command.trim() === '') {
    tell(`Add "command" to "${where}": it says what to run`, true)
    return undefined
  }
  if (shell !== 'bash' && shell !== 'sh') {
    tell(`Cannot use the shell ${JSON.stringify(shell)} of "${where}": there are bash and sh`, true)
    return undefined
  }
  if (isAsync === true || asyncRewake === true) tell(`"${where}" asks to run beside the event: here the event waits for it`, false)
  const words: unknown[] = Array.isArray(args) ? args : []
  if (args !== undefined && !(Array.isArray(args) && words.every(word => typeof word === 'string'))) {
    tell(`Write "${where}.args" as a list of texts`, true)
    return undefined
  }
  // The form without a shell: each is one word, whatever stands in it.
  const text = args === undefined ? command : [command, ...words].map(word => quoted(String(word))).join(' ')
  if (text.length > maxCommandChars || text.includes('\0')) {
    tell(`Shorten "${where}.command": ${maxCommandChars} characters are the limit, and none may be a NUL`, true)
    return undefined
  }
  return { command: text, shell }
}

const folder = /(\$\{(?:SKILLCELL|CLAUDE|WAVE)_(?:SKILL_DIR|PLUGIN_ROOT|PROJECT_DIR|SESSION_ID)\})/

/** One word; the placeholders of a folder keep their meaning in it. */
function quoted(word: string): string {
  const pieces = word.split(folder).filter(piece => piece !== '')
  return pieces.map(piece => (folder.test(piece) ? `"${piece}"` : `'${piece.replaceAll("'", "'\\''")}'`)).join('') || "''"
}

function readRequest(handler: Given, { where, tell }: HandlerPlace): { url: string; headers: Record<string, string> } | undefined {
  const { url, headers = {}, allowedEnvVars } = handler
  const problem = typeof url === 'string' ? urlProblem(url) : 'it says what to call'
  if (typeof url !== 'string' || problem !== undefined) {
    tell(typeof url === 'string' ? `Mend "${where}.url": ${problem}` : `Add "url" to "${where}": ${problem}`, true)
    return undefined
  }
  if (allowedEnvVars !== undefined) tell(`"${where}.allowedEnvVars" has no effect: a header is sent as it is written`, false)
  const entries = isRecord(headers) ? Object.entries(headers) : undefined
  const wrong = entries?.find(([name, value]) => !isHeader(name, value))?.[0]
  if (!entries || entries.length > maxHeaders || wrong !== undefined) {
    const which = wrong === undefined ? `a map of at most ${maxHeaders} texts` : `a map without ${JSON.stringify(wrong.slice(0, 100))}`
    tell(`Write "${where}.headers" as ${which}: a header is a name and one line, and none that the request itself needs`, true)
    return undefined
  }
  return { url, headers: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) }
}

function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return `"${text.slice(0, 200)}" is no address`
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return `"${protocol}" is no way to call: write an http or https address`
  return username === '' && password === '' ? undefined : 'an address with a name or password in it goes to logs: use a header'
}

function isHeader(name: string, value: unknown): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !ownHeaders.has(name.toLowerCase()) && typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)
  )
}
