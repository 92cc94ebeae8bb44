// Does what was decided: the one place where a call of an agent's tool becomes an effect. It decides nothing but what a call leads to on
// its way: the address of a redirect, the files that a search finds.

import { lstatSync } from 'node:fs'
import { SkillcellError } from '../errors.ts'
import type { RunEventBody } from '../events.ts'
import { editFile } from '../files/edit.ts'
import { globFiles } from '../files/glob.ts'
import { grepFiles } from '../files/grep.ts'
import { readLines } from '../files/read.ts'
import { createReadLedger } from '../files/read-ledger.ts'
import type { SearchOptions } from '../files/ripgrep.ts'
import { writeWhole } from '../files/write.ts'
import type { RunAudit } from '../run-audit.ts'
import type { Setup } from '../setup.ts'
import type { CommandRequest, CommandResult } from '../shell/command.ts'
import type { ToolGate } from '../tool-gate.ts'
import { bashTool, renderBash } from '../tools/bash.ts'
import { editTool, renderEdit } from '../tools/edit.ts'
import { globTool, renderGlob } from '../tools/glob.ts'
import { grepTool, grepWish, renderGrep } from '../tools/grep.ts'
import { readTool, renderRead } from '../tools/read.ts'
import { renderTodoWrite, todoWriteTool } from '../tools/todo-write.ts'
import { renderWebFetch, webFetchTool } from '../tools/web-fetch.ts'
import { renderWrite, writeTool } from '../tools/write.ts'
import { fetchPage } from '../web/fetch.ts'
import type { AgentScope } from './scope.ts'

export interface DecidedCall {
  readonly name: string
  /** Checked by the tool's schema. */
  readonly input: unknown
  readonly callId: string
  readonly agentId?: string
}

export interface ActResult {
  readonly output: string
  readonly isError: boolean
  /** Of the host, when `output` names it. */
  readonly spillPath?: string
}

/**
 * @param realPath of a file tool: what was decided
 * @throws {SkillcellError} TOOL_FAILED, FILE_CHANGED and the like; their text is for the model
 */
export type Act = (call: DecidedCall, realPath: string | undefined, scope: AgentScope, signal: AbortSignal) => Promise<ActResult>

export interface ActRooms {
  readonly setup: Pick<Setup, 'workspace' | 'realWorkspace' | 'dialectOf'>
  readonly gate: Pick<ToolGate, 'decideCall' | 'mayRead'>
  readonly audit: Pick<RunAudit, 'finishedCommand'>
  readonly runCommand: (request: CommandRequest) => Promise<CommandResult>
  /** Told of each file that was read, written or edited: some skills wait for one (SPEC R10.1). */
  readonly touched: (path: string) => void
  readonly emit: (event: RunEventBody) => void
}

/** For one run: files that any of its agents has read may be changed by it. */
export function createAct(rooms: ActRooms): Act {
  const { setup, gate, runCommand, touched } = rooms
  const ledger = createReadLedger()
  const searchOf = (scope: AgentScope, signal: AbortSignal): SearchOptions => ({
    workspace: setup.realWorkspace,
    // What a search finds is no more than what Read would open.
    mayRead: path => gate.mayRead(path, scope.rights),
    runCommand: command => runCommand({ ...command, trust: scope.rights.skill.source }),
    signal,
  })

  return async (call, realPath, scope, signal) => {
    const { name, input } = call
    if (name === 'Bash') return runBash(rooms, call, scope, signal)
    if (name === 'TodoWrite') return done(renderTodoWrite(todoWriteTool.input.parse(input)))
    if (name === 'WebFetch') {
      const { url } = webFetchTool.input.parse(input)
      const decide = async (next: string): Promise<string | undefined> => {
        const verdict = await gate.decideCall({ tool: 'WebFetch', url: next }, scope.rights, signal)
        return verdict.allowed ? undefined : verdict.reason
      }
      return done(renderWebFetch(await fetchPage({ url, decide, signal })))
    }
    if (realPath === undefined) throw new SkillcellError('INTERNAL', `Cannot do ${name}: no path was decided`)
    if (name === 'Read') {
      const { file_path: shown, offset, limit } = readTool.input.parse(input)
      const text = await readLines({ path: { real: realPath, shown }, offset, limit }, ledger, signal)
      touched(realPath)
      return done(renderRead(text))
    }
    if (name === 'Write') {
      const { file_path: shown, content } = writeTool.input.parse(input)
      const written = writeWhole({ path: { real: realPath, shown }, content }, ledger)
      touched(realPath)
      return done(renderWrite(written))
    }
    if (name === 'Edit') {
      const {
        file_path: shown,
        old_string: oldString,
        new_string: newString,
        replace_all: replaceAll = false,
      } = editTool.input.parse(input)
      const edited = editFile({ path: { real: realPath, shown }, oldString, newString, replaceAll }, ledger)
      touched(realPath)
      return done(renderEdit(edited))
    }
    if (name === 'Glob') {
      const { pattern, path: shown = '.' } = globTool.input.parse(input)
      return done(renderGlob(await globFiles({ path: { real: realPath, shown }, pattern }, searchOf(scope, signal))))
    }
    if (name === 'Grep') return done(await grep(realPath, input, searchOf(scope, signal)))
    throw new SkillcellError('INTERNAL', `Cannot do ${name}: nothing here acts for it`)
  }
}

function done(output: string): ActResult {
  return { output, isError: false }
}

async function grep(real: string, input: unknown, search: SearchOptions): Promise<string> {
  const given = grepTool.input.parse(input)
  const isFolder = lstatSync(real, { throwIfNoEntry: false })?.isDirectory() ?? false
  return renderGrep(await grepFiles({ path: { real, shown: given.path ?? '.' }, isFolder, ...grepWish(given) }, search))
}

const progressMs = 1_000

async function runBash(
  { setup, audit, runCommand, emit }: ActRooms,
  { input, callId, agentId }: DecidedCall,
  { rights: { skill } }: AgentScope,
  signal: AbortSignal,
): Promise<ActResult> {
  const { command, timeout } = bashTool.input.parse(input)
  const { commandTimeoutMs } = setup.dialectOf(skill.source)
  const startedAt = Date.now()
  const progress = setInterval(() => {
    const elapsedMs = Date.now() - startedAt
    emit({ type: 'tool.progress', callId, tool: 'Bash', elapsedMs, ...(agentId !== undefined && { agentId }) })
  }, progressMs)
  try {
    const result = await runCommand({
      script: command,
      shell: 'bash',
      parameters: [],
      variables: {},
      environment: skillFolders(skill.baseDir, skill.pluginRoot, setup.workspace),
      cwd: setup.workspace,
      // A model may ask for less than the limit, not for more.
      timeoutMs: Math.min(timeout ?? commandTimeoutMs, commandTimeoutMs),
      signal,
      // A model reads what a person at a terminal would.
      stderr: 'merged',
      trust: skill.source,
    })
    audit.finishedCommand(skill.id, { tool: 'Bash', command }, result)
    signal.throwIfAborted()
    const isError = result.reason !== 'exited' || result.exitCode !== 0
    return { output: renderBash(result), isError, ...(result.spillPath !== undefined && { spillPath: result.spillPath }) }
  } finally {
    clearInterval(progress)
  }
}

/** The names that a skill's text may use for its folders, in its agent's commands too (SPEC R4.6). */
function skillFolders(skillDir: string, pluginRoot: string | undefined, projectDir: string): Record<string, string> {
  return Object.fromEntries(
    ['SKILLCELL', 'WAVE', 'CLAUDE'].flatMap(prefix => [
      [`${prefix}_SKILL_DIR`, skillDir],
      [`${prefix}_PROJECT_DIR`, projectDir],
      ...(pluginRoot === undefined ? [] : [[`${prefix}_PLUGIN_ROOT`, pluginRoot]]),
    ]),
  )
}
