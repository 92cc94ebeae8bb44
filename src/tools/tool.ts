// What a tool is to a model and to the host: its name, what it says of itself, what it takes, how a call is shown. No effects: the host
// decides a call and acts, in files/, web/ and the broker.

import { z } from 'zod'

export type ToolTarget =
  | { readonly path: string }
  | { readonly url: string }
  | { readonly command: string }
  /** Of a skill. */
  | { readonly name: string }

export interface Tool<Input = unknown> {
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: z.ZodType<Input>
  /** Read-only calls of one turn run side by side. */
  readonly isReadOnly: boolean
  /** What a call would touch, for whoever decides it. A tool without it touches nothing outside of its agent. */
  target?(input: Input): ToolTarget
  /** The main parameter of a call, for progress (SPEC R8.5): a path, a pattern, the command; one line, at most 120 characters. */
  mainParameter(input: Input): string
}

/** What is wrong with the input of a call, for the model; undefined when it fits. */
export function inputProblem(tool: Pick<Tool, 'name' | 'input'>, input: unknown): string | undefined {
  const parsed = tool.input.safeParse(input)
  if (parsed.success) return undefined
  const faults = typeof input === 'string' ? ['the input is no JSON object'] : parsed.error.issues.map(faultOf)
  return `Cannot call ${tool.name}: ${faults.slice(0, maxShownFaults).join('; ')}. It takes ${fieldsOf(inputSchemaOf(tool))}`
}

const maxShownFaults = 10

function faultOf(issue: z.core.$ZodIssue): string {
  const { path } = issue
  const message = sizeFault(issue) ?? issue.message
  return path.length > 0 ? `"${path.map(String).join('.')}": ${message}` : message
}

/** What is too little or too much, without the signs that the schema says it with. */
function sizeFault(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined
  const isSmall = issue.code === 'too_small'
  const bound = Number(isSmall ? issue.minimum : issue.maximum)
  const limit = bound.toLocaleString('en-US')
  const unit = issue.origin === 'string' ? 'character' : issue.origin === 'array' ? 'entry' : undefined
  if (unit === undefined) return `It is ${isSmall ? `at least ${limit}` : `at most ${limit}`}`
  if (isSmall && bound === 1) return 'It may not be empty'
  return `It has ${isSmall ? 'at least' : 'at most'} ${limit} ${bound === 1 ? unit : unit === 'entry' ? 'entries' : 'characters'}`
}

function fieldsOf(schema: Readonly<Record<string, unknown>>): string {
  const { properties, required } = schema
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  return names.map(name => (wanted.includes(name) ? `"${name}"` : `"${name}" (optional)`)).join(', ') || 'no fields'
}

/** What is said of a name that no tool has. */
export function unknownTool(name: string, names: readonly string[]): string {
  const there = names.length > 0 ? `there are ${names.join(', ')}` : 'there are none'
  return `Cannot call "${name.slice(0, 100)}": no tool has that name; ${there}`
}

/** The JSON Schema of a tool's input, as providers want it. */
export function inputSchemaOf(tool: Pick<Tool, 'input'>): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' })
  return schema
}
