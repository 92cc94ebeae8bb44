// The commands and their flags. Each command's work is in a file of its own, loaded when it is called.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { errorCodes, messageOf, SkillcellError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { type CommandContext, ReaderGone, watchInterrupts } from './context.ts'
import { addCommonFlags, commonFlags } from './flags.ts'
import { note, noteFailure, printJson, safeLines } from './output.ts'

type Work = (context: CommandContext, command: Command) => Promise<number>

/** Runs one command line and gives its exit code. Never throws. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const interrupts = watchInterrupts()
  let exitCode = 0
  let json = false
  const program = createProgram(work => async (...parameters: unknown[]) => {
    // commander hands over arguments, options and, last, the command.
    const command = parameters.at(-1)
    if (!(command instanceof Command)) throw new Error('commander gave no command')
    const flags = commonFlags(command)
    json = flags.json
    exitCode = await work({ json, input: flags.input, flags: flags.options, ...interrupts }, command)
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (interrupts.signal.reason instanceof ReaderGone) return 0
    return reportFailure(error, json || argv.includes('--json'))
  } finally {
    interrupts.stop()
  }
}

function createProgram(action: (work: Work) => (...parameters: unknown[]) => Promise<void>): Command {
  const program = new Command('skillcell')
    .description('Runs Agent Skills: folders with a SKILL.md.')
    .version(version(), '--version')
    // Flags before a command's name are the program's, those after it the command's: so `--args --json` has a value.
    .enablePositionalOptions()
    .showHelpAfterError('(skillcell --help lists commands and flags)')
    .exitOverride()
  const add = (parent: Command, usage: string, description: string): Command => parent.command(usage).description(description)

  add(program, 'list', 'list the skills there are')
    .option('--all', 'shadowed ones too')
    .option('--for <whom>', 'only those of a model or of a user', oneOf('--for', ['model', 'user']))
    .action(action(async (context, command) => (await import('./list.ts')).list(context, command.opts())))
  add(program, 'show <name>', 'show one skill: where it comes from, its fields, its text').action(
    action(async (context, command) => (await import('./show.ts')).show(context, argument(command))),
  )
  addExpandFlags(add(program, 'expand <name>', 'make the prompt of a skill; its injected commands run'))
    .option('--as <whom>', 'who invokes it: user (default) or model', oneOf('--as', ['user', 'model']))
    .action(action(async (context, command) => (await import('./expand.ts')).expand(context, argument(command), command.opts())))
  add(program, 'run <text>', 'run `/name arguments`, told event by event')
    .option('--session <id>', 'the session it belongs to')
    .option('--model <name>', 'anthropic:ID, openai:ID or script:FILE; with one an inline skill is run as a turn')
    .option('--record <file>', 'keep the conversation, for --model script:FILE')
    .option('--deadline-ms <n>', 'wall time of the whole run', milliseconds)
    .action(action(async (context, command) => (await import('./run.ts')).run(context, argument(command), command.opts())))
  add(program, 'validate <path...>', 'check skills: a file, a skill folder or a tree of them')
    .option('--strict', 'warnings fail too')
    .action(action(async (context, command) => (await import('./validate.ts')).validate(context, command.args, command.opts())))
  addPolicyCommands(add(program, 'policy', 'ask the policy'), add, action)
  add(program, 'config', 'show each option and where it comes from').action(
    action(async context => (await import('./config.ts')).config(context)),
  )
  const audit = add(program, 'audit', 'the log of what was decided and run')
  add(audit, 'verify', 'check that the log is what was written').action(
    action(async context => (await import('./audit.ts')).auditVerify(context)),
  )
  add(audit, 'show', 'show its last entries')
    .option('--last <n>', 'how many (20)')
    .action(action(async (context, command) => (await import('./audit.ts')).auditShow(context, command.opts())))
  add(program, 'doctor', 'check what this machine has').action(action(async context => (await import('./doctor.ts')).doctor(context)))
  return withCommonFlags(program)
}

/** On every level and last, so that help names a command's own flags first. */
function withCommonFlags(command: Command): Command {
  for (const child of command.commands) withCommonFlags(child)
  return addCommonFlags(command)
}

function addPolicyCommands(
  policy: Command,
  add: (parent: Command, usage: string, description: string) => Command,
  action: (work: Work) => (...parameters: unknown[]) => Promise<void>,
): void {
  add(policy, 'check [command]', 'say whether a command is allowed, asked or denied')
    .option('--stdin', 'read {"id","command","rules"} lines and answer each')
    .action(action(async (context, command) => (await import('./policy-check.ts')).policyCheck(context, command.args[0], command.opts())))
  add(policy, 'explain <command>', 'draw the parsed command and the answer for each part').action(
    action(async (context, command) => (await import('./policy-explain.ts')).policyExplain(context, argument(command))),
  )
  add(policy, 'test <file>', 'compare decisions with a list of {command, expect}').action(
    action(async (context, command) => (await import('./policy-test.ts')).policyTest(context, argument(command))),
  )
}

function addExpandFlags(command: Command): Command {
  return command
    .option('--args <text>', 'its arguments')
    .option('--args-file <file>', 'its arguments, byte for byte; - is stdin')
    .option('--session <id>', 'the session it belongs to')
}

function argument(command: Command): string {
  return command.args[0] ?? ''
}

function oneOf(flag: string, choices: readonly string[]): (value: string) => string {
  return value => {
    if (choices.includes(value)) return value
    throw new SkillcellError('USAGE', `Cannot use ${flag} "${value}": it may be ${choices.join(' or ')}`)
  }
}

function milliseconds(value: string): number {
  const number = Number(value)
  // Above that a timer of Node fires at once.
  if (/^\d+$/.test(value) && number >= 1 && number < 2 ** 31) return number
  throw new SkillcellError('USAGE', `Cannot use --deadline-ms "${value}": it is a whole number of milliseconds from 1 to ${2 ** 31 - 1}`)
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}

/** Prints what went wrong and gives the exit code. commander has printed its own errors to stderr. */
function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    if (json) printJson({ ok: false, error: { code: 'USAGE', message: error.message.replace(/^error: /, '') } })
    return errorCodes.USAGE.exitCode
  }
  const { code, message, details } = error instanceof SkillcellError ? error : new SkillcellError('INTERNAL', messageOf(error))
  if (json) printJson({ ok: false, error: { code, message, ...(Object.keys(details).length > 0 && { details }) } })
  else noteFailure(code, message)
  if (code === 'INTERNAL' && error instanceof Error && error.stack) note(safeLines(error.stack))
  return errorCodes[code].exitCode
}
