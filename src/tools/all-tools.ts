// The tools there are, by name, in the order in which a model is offered them.

import { bashTool } from './bash.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { readTool } from './read.ts'
import { skillTool } from './skill.ts'
import { todoWriteTool } from './todo-write.ts'
import type { Tool } from './tool.ts'
import { webFetchTool } from './web-fetch.ts'
import { writeTool } from './write.ts'

const tools: readonly Tool[] = [readTool, writeTool, editTool, globTool, grepTool, bashTool, skillTool, todoWriteTool, webFetchTool]

export const allTools: ReadonlyMap<string, Tool> = new Map(tools.map(tool => [tool.name, tool]))
