// The steps of one invocation, up to its prompt: find → load → plan (nothing ran) → decide all commands → run them → render.
// Pure order of steps: every effect comes in as a function, wired by runtime.ts; the signal goes to each.

import { argumentsText } from './argument-file.ts'
import { type Diagnostic, SkillcellError } from './errors.ts'
import type { ExpansionResult, RunEventBody } from './events.ts'
import type { CommandOutcome, ExpansionPlan, ExpansionRequest } from './expansion/plan.ts'
import { renderPlan } from './expansion/render.ts'
import { expansionRequest } from './expansion-request.ts'
import { type CommandRooms, type CommandsDone, runCommands } from './injected-commands.ts'
import type { Limits } from './limits.ts'
import type { RunHooks } from './run-hooks.ts'
import type { Catalog } from './skills/catalog.ts'
import { whyNotForModel } from './skills/not-for-model.ts'
import type { LoadedSkill, Skill } from './skills/skill.ts'
import type { GrantedTools, ToolGate } from './tool-gate.ts'

export interface Invocation {
  readonly runId: string
  readonly name: string
  readonly args: string | Uint8Array
  readonly sessionId: string
  readonly as: 'user' | 'model'
}

/** What the steps need of the rooms. */
export interface InvocationRooms extends CommandRooms {
  readonly find: (name: string) => Promise<Skill>
  readonly load: Catalog['load']
  readonly plan: (request: ExpansionRequest, signal: AbortSignal) => Promise<ExpansionPlan>
  readonly gate: ToolGate
  readonly argumentsFile: string
  readonly writeArgumentsFile: (content: string | Uint8Array) => Promise<void>
  /** Whether a skill with `paths` has been woken by a file that was touched (SPEC R10.1). */
  readonly isActive: (skill: Skill) => boolean
  /** The hooks of the session: opened for a skill that brings some; else those that are there, if any. */
  readonly hooks: (skill: Skill) => Promise<Pick<RunHooks, 'register' | 'fire'> | undefined>
  /** What else has to be there before anything of the skill runs: for a fork, its agent and a model. */
  readonly checkFirst?: (skill: Skill) => Promise<void>
  /** Why no shell of that name can run here; undefined when it can. */
  readonly shellProblem: (shell: string) => string | undefined
}

/** A skill that was invoked: its prompt, and what its turn or its agent may do. */
export interface Invoked {
  readonly expansion: ExpansionResult
  readonly loaded: LoadedSkill
  readonly granted: GrantedTools
}

type Emit = (event: RunEventBody) => void

export async function performInvocation(invocation: Invocation, rooms: InvocationRooms, signal: AbortSignal, emit: Emit): Promise<Invoked> {
  const given = checkedArguments(invocation.args, rooms.limits)
  const loaded = await rooms.load(await rooms.find(invocation.name), { argumentsText: given, signal })
  const { skill } = loaded
  checkInvocable(skill, invocation.as, rooms.isActive)
  await rooms.checkFirst?.(skill)
  await rooms.gate.decideSkill({ ...loaded, askedAs: invocation.name }, invocation.as, signal)
  signal.throwIfAborted()
  const granted = rooms.gate.grantsOf(skill)
  const hookContext = await tellHooks(await rooms.hooks(skill), { invocation, loaded, granted, given }, signal)

  const { sessionId } = invocation
  // The text of a server is done: a placeholder in it is its own.
  const plan: ExpansionPlan = loaded.isFinal
    ? { segments: [{ type: 'text', text: loaded.body }], commands: [], diagnostics: [] }
    : await rooms.plan(expansionRequest(loaded, { argumentsText: given, argumentsFile: rooms.argumentsFile, sessionId }, rooms), signal)
  const switchedOff = commandsOff(skill, plan, rooms)
  const diagnostics = [...loaded.diagnostics, ...granted.diagnostics, ...plan.diagnostics, ...(switchedOff?.diagnostics ?? [])]
  for (const diagnostic of diagnostics) emit({ type: 'diagnostic', diagnostic })

  const done = switchedOff
    ? { outcomes: switchedOff.outcomes, reports: [] }
    : await decideAndRun(plan, skill, granted, { invocation, rooms, signal, emit })
  const dialect = rooms.dialectOf(skill.source).name
  const rendered = renderPlan(plan, done.outcomes, { kind: skill.kind, baseDir: skill.baseDir, dialect })
  const prompt = [rendered, ...hookContext].join('\n\n')
  emit({ type: 'skill.expanded', skill: skill.id, promptChars: prompt.length, commands: done.reports.length })
  const expansion: ExpansionResult = {
    prompt,
    skill: skill.id,
    baseDir: skill.baseDir,
    allowedTools: granted.allowedTools,
    disallowedTools: skill.disallowedTools,
    ...(skill.model !== undefined && { model: skill.model }),
    ...(skill.effort !== undefined && { effort: skill.effort }),
    dialect,
    commands: done.reports,
    diagnostics,
  }
  return { expansion, loaded, granted }
}

interface HookTelling {
  readonly invocation: Invocation
  readonly loaded: LoadedSkill
  readonly granted: GrantedTools
  readonly given: string
}

/** Registers the hooks of the skill and asks those of the session; gives what they want the model to know (SPEC R10.3). */
async function tellHooks(
  hooks: Pick<RunHooks, 'register' | 'fire'> | undefined,
  { invocation, loaded, granted, given }: HookTelling,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!hooks) return []
  const { skill } = loaded
  const begun = await hooks.register(loaded, granted, signal)
  // A model's call of a skill is a call of a tool, with an event of its own.
  if (invocation.as === 'model') return begun === undefined ? [] : [begun]
  const prompt = `/${invocation.name}${given === '' ? '' : ` ${given}`}`
  const event = { name: 'UserPromptExpansion', commandName: skill.id, commandArgs: given, commandSource: skill.source, prompt } as const
  const { decision, reason, decidedBy, additionalContext } = await hooks.fire(event, signal)
  if (decision === 'block')
    throw new SkillcellError('HOOK_STOPPED', `Cannot invoke "${skill.id}": a hook of ${decidedBy.join(', ')} forbids it: ${reason ?? ''}`)
  return [begun, additionalContext].filter(text => text !== undefined)
}

function checkedArguments(args: string | Uint8Array, { maxArgumentsBytes }: Limits): string {
  const bytes = typeof args === 'string' ? Buffer.byteLength(args) : args.byteLength
  if (bytes > maxArgumentsBytes)
    throw new SkillcellError('USAGE', `Cannot take the arguments: ${bytes} bytes, and at most ${maxArgumentsBytes} are taken`)
  return argumentsText(args)
}

function checkInvocable(skill: Skill, as: 'user' | 'model', isActive: (skill: Skill) => boolean): void {
  if (as === 'user' && !skill.userInvocable)
    throw new SkillcellError(
      'SKILL_NOT_INVOCABLE',
      `Cannot invoke "${skill.id}" by hand: it says \`user-invocable: false\`, so only a model may`,
    )
  const problem = as === 'model' ? whyNotForModel(skill) : undefined
  if (problem !== undefined)
    throw new SkillcellError('SKILL_NOT_INVOCABLE', `Cannot invoke "${skill.id}" for a model, only a user may: ${problem}`)
  if (as === 'model' && !isActive(skill))
    throw new SkillcellError(
      'SKILL_NOT_INVOCABLE',
      `Cannot invoke "${skill.id}" for a model yet: it waits for a file that matches ${skill.paths.join(', ')}`,
    )
}

/** SPEC R4.7 and R2.5: the switch of the policy, and skills whose restrictions cannot be read. The text of a remote source has none. */
function commandsOff(
  skill: Skill,
  plan: ExpansionPlan,
  { gate }: InvocationRooms,
): { readonly outcomes: readonly CommandOutcome[]; readonly diagnostics: readonly Diagnostic[] } | undefined {
  const outcomes = (why?: string): readonly CommandOutcome[] =>
    plan.commands.map(() => ({ status: 'disabled', ...(why !== undefined && { why }) }))
  if (!gate.shellExecution) return { outcomes: outcomes(), diagnostics: [] }
  if (skill.commandsEnabled || plan.commands.length === 0) return undefined
  const why = 'a field of its frontmatter that restricts it cannot be read'
  const message = `The commands of "${skill.id}" do not run: ${why}`
  return { outcomes: outcomes(why), diagnostics: [{ code: 'COMMANDS_DISABLED', severity: 'warning', message, path: skill.path }] }
}

interface Context {
  readonly invocation: Invocation
  readonly rooms: InvocationRooms
  readonly signal: AbortSignal
  readonly emit: Emit
}

async function decideAndRun(plan: ExpansionPlan, skill: Skill, granted: GrantedTools, context: Context): Promise<CommandsDone> {
  const { invocation, rooms, signal } = context
  if (plan.commands.length > 0) {
    const problem = rooms.shellProblem(skill.shell)
    if (problem !== undefined) throw new SkillcellError('SHELL_UNAVAILABLE', `Cannot run the commands of "${skill.id}": ${problem}`)
    await rooms.gate.decideAll(plan.commands, skill, granted, signal)
  }
  // Text may name the file too (SPEC R3.7), then it has to be there though no command runs.
  if (plan.commands.length > 0 || plan.segments.some(segment => segment.type === 'text' && segment.text.includes(rooms.argumentsFile)))
    await rooms.writeArgumentsFile(invocation.args)
  return runCommands(plan.commands, skill, context)
}
