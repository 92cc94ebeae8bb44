// The tool Bash: one command in a fresh shell.

import { z } from 'zod'
import { oneLine } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface BashInput {
  readonly command: string
  readonly timeout?: number | undefined
  readonly description?: string | undefined
}

export const bashTool: Tool<BashInput> = {
  name: 'Bash',
  description: [
    'Runs a command with bash in the workspace and gives what it printed and its exit code.',
    'Each command runs in a fresh shell: folder, variables and functions of the last one are gone. Nothing that it started goes on after it has ended. Standard input is empty.',
    'It ends at the time limit of this place; timeout asks for a shorter one. Long output is shown as a preview, with the name of a file that Read opens.',
    'Plain commands are allowed more easily than clever ones. To read, search or change files use Read, Grep, Glob, Edit and Write.',
  ].join('\n'),
  input: z.strictObject({
    command: z.string().min(1).max(100_000).describe('The command; several are joined with && or ;'),
    timeout: z.int().min(1).max(600_000).optional().describe('Milliseconds; less than the limit of this place'),
    description: z.string().max(500).optional().describe('What it does, in five to ten words'),
  }),
  isReadOnly: false,
  target: ({ command }) => ({ command }),
  mainParameter: ({ command }) => oneLine(command),
}

export interface BashView {
  readonly reason: 'exited' | 'timed-out' | 'aborted' | 'killed' | 'output-limit'
  readonly exitCode: number
  readonly output: string
  readonly note?: string
  readonly signal?: string
}

export function renderBash({ reason, exitCode, output, note, signal }: BashView): string {
  const isSuccess = reason === 'exited' && exitCode === 0
  const ending = `Exit code ${exitCode}${signal === undefined ? '' : ` (${signal})`}${reason === 'exited' ? '' : `, ${endings[reason]}`}`
  return [output === '' ? '(No output)' : output, ...(isSuccess ? [] : [`[${ending}]`]), ...(note === undefined ? [] : [`[${note}]`])].join(
    '\n',
  )
}

const endings: Readonly<Record<Exclude<BashView['reason'], 'exited'>, string>> = {
  'timed-out': 'the time limit was reached; a longer timeout may help',
  aborted: 'ended by the caller',
  killed: 'it was killed',
  'output-limit': 'it printed too much',
}
