// What a tool is to a model and to the host: its name, what it says of itself, what it takes, how a call is shown. No effects: the host
// decides a call and acts, in files/, web/ and the broker.

import { z } from 'zod'

export interface Tool<Input = unknown> {
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: z.ZodType<Input>
  /** Read-only calls of one turn run side by side. */
  readonly isReadOnly: boolean
  /** The main parameter of a call, for progress (SPEC R8.5): a path, a pattern, the command; one line, at most 120 characters. */
  mainParameter(input: Input): string
}

/** The JSON Schema of a tool's input, as providers want it. */
export function inputSchemaOf(tool: Pick<Tool, 'input'>): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' })
  return schema
}
