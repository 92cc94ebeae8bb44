// The tools that an agent's model is offered, and what a call of one must look like. A call that does not fit is answered here,
// with what would: it reaches no host.

import type { ModelTool, ToolCall } from '../models/model.ts'
import type { AgentTask } from '../protocol/agent-task.ts'
import { inputSchemaOf, type Tool } from '../tools/tool.ts'

export interface OfferedTools {
  /** For the model. */
  readonly described: readonly ModelTool[]
  check(call: ToolCall): CheckedCall
}

export type CheckedCall =
  | { readonly isValid: true; readonly isReadOnly: boolean; readonly parameter: string }
  /** A text for the model. */
  | { readonly isValid: false; readonly fault: string }

const maxShownFaults = 10

export function offerTools(task: Pick<AgentTask, 'tools' | 'skillListing'>, all: ReadonlyMap<string, Tool>): OfferedTools {
  const offered = new Map<string, Tool>()
  for (const name of task.tools) {
    const tool = all.get(name)
    if (tool) offered.set(name, tool)
  }
  const described = [...offered.values()].map(tool => ({
    name: tool.name,
    description: tool.name === 'Skill' && task.skillListing !== '' ? `${tool.description}\n\n${task.skillListing}` : tool.description,
    inputSchema: schemaOf(tool),
  }))
  return {
    described,
    check: call => {
      const tool = offered.get(call.name)
      if (!tool) return { isValid: false, fault: unknownTool(call.name, [...offered.keys()]) }
      const parsed = tool.input.safeParse(call.input)
      if (parsed.success) return { isValid: true, isReadOnly: tool.isReadOnly, parameter: oneLine(tool.mainParameter(parsed.data)) }
      const faults = typeof call.input === 'string' ? ['the input is no JSON object'] : parsed.error.issues.map(faultOf)
      const shown = faults.slice(0, maxShownFaults).join('; ')
      return { isValid: false, fault: `Cannot call ${tool.name}: ${shown}. It takes ${fieldsOf(schemaOf(tool))}` }
    },
  }
}

const schemas = new WeakMap<Tool, Readonly<Record<string, unknown>>>()

/** Made once in a thread: it takes a millisecond or so for each tool. */
function schemaOf(tool: Tool): Readonly<Record<string, unknown>> {
  const schema = schemas.get(tool) ?? inputSchemaOf(tool)
  schemas.set(tool, schema)
  return schema
}

function unknownTool(name: string, names: readonly string[]): string {
  const there = names.length > 0 ? `there are ${names.join(', ')}` : 'there are none'
  return `Cannot call "${name.slice(0, 100)}": no tool has that name; ${there}`
}

function faultOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return path.length > 0 ? `"${path.map(String).join('.')}": ${message}` : message
}

function fieldsOf(schema: Readonly<Record<string, unknown>>): string {
  const { properties, required } = schema
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  return names.map(name => (wanted.includes(name) ? `"${name}"` : `"${name}" (optional)`)).join(', ') || 'no fields'
}

const maxParameterChars = 120

/** Progress is one line, whatever a tool makes of its input. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxParameterChars ? line : `${line.slice(0, maxParameterChars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
