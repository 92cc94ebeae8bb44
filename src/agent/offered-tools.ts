// The tools that an agent's model is offered, and what a call of one must look like. A call that does not fit is answered here,
// with what would: it reaches no host.

import type { ModelTool, ToolCall } from '../models/model.ts'
import type { AgentTask } from '../protocol/agent-task.ts'
import { inputProblem, inputSchemaOf, type Tool, unknownTool } from '../tools/tool.ts'

export interface OfferedTools {
  /** For the model. */
  readonly described: readonly ModelTool[]
  check(call: ToolCall): CheckedCall
}

export type CheckedCall =
  | { readonly isValid: true; readonly isReadOnly: boolean; readonly parameter: string }
  /** A text for the model. */
  | { readonly isValid: false; readonly fault: string }

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
      const fault = inputProblem(tool, call.input)
      if (fault !== undefined) return { isValid: false, fault }
      return { isValid: true, isReadOnly: tool.isReadOnly, parameter: tool.mainParameter(tool.input.parse(call.input)) }
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
