// A call of a tool as the policy wants it: its name, and the command, path or address that it would touch.

import type { GatedCall } from '../tool-gate.ts'
import type { Tool } from '../tools/tool.ts'

const fileTools = ['Read', 'Write', 'Edit', 'Glob', 'Grep'] as const

/** @param input has passed the tool's schema */
export function gatedCall(tool: Tool, input: unknown): GatedCall {
  const target = tool.target?.(input)
  if (!target) return { tool: tool.name }
  if ('command' in target) return { tool: 'Bash', command: target.command }
  if ('url' in target) return { tool: 'WebFetch', url: target.url }
  // Told to hooks and rules; the gate decides a skill when it is found.
  if ('name' in target) return { tool: 'Skill', name: target.name, carries: true }
  const fileTool = fileTools.find(name => name === tool.name)
  if (fileTool) return { tool: fileTool, path: target.path }
  throw new Error(`the tool ${tool.name} names a path and is no tool for files`)
}
