// The tool TodoWrite: the list of what there is to do, kept by the agent for itself. It changes nothing but that list.

import { z } from 'zod'
import { oneLine } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface TodoItem {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  readonly activeForm: string
}

export interface TodoWriteInput {
  readonly todos: readonly TodoItem[]
}

const maxItems = 100

export const todoWriteTool: Tool<TodoWriteInput> = {
  name: 'TodoWrite',
  description: [
    'Keeps the list of steps of a task that has several. The list given replaces the one before; give all of it each time.',
    'Have one step in progress, and mark it completed as soon as it is done, not before. A task of one or two steps needs no list.',
  ].join('\n'),
  input: z.strictObject({
    todos: z
      .array(
        z.strictObject({
          content: z.string().min(1).max(1_000).describe('What to do, such as "Run the tests"'),
          status: z.enum(['pending', 'in_progress', 'completed']),
          activeForm: z.string().min(1).max(1_000).describe('While it is done, such as "Running the tests"'),
        }),
      )
      .max(maxItems),
  }),
  // It replaces the whole list: of two calls side by side either could win.
  isReadOnly: false,
  mainParameter: ({ todos }) => {
    const current = todos.find(each => each.status === 'in_progress')
    const done = todos.filter(each => each.status === 'completed').length
    return oneLine(`${done}/${todos.length} done${current === undefined ? '' : `: ${current.activeForm}`}`)
  },
}

const marks: Readonly<Record<TodoItem['status'], string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' }

export function renderTodoWrite({ todos }: TodoWriteInput): string {
  if (todos.length === 0) return 'The list is empty now'
  return ['The list is now:', ...todos.map(({ status, content }) => `${marks[status]} ${content}`)].join('\n')
}
