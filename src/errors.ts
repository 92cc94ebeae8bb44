// Every failure that crosses a room: one class with a code, and one table of codes.
// Callers switch on the code; the text is for people. The README has a row per code (a test compares).

/** What a code means to a caller. `exitCode` is the exit status of the command line (SPEC R15). */
export interface ErrorKind {
  readonly exitCode: 1 | 2 | 3 | 4 | 5 | 130
  readonly meaning: string
  readonly remedy: string
}

export type ErrorCode =
  | 'USAGE'
  | 'CONFIG_INVALID'
  | 'POLICY_INVALID'
  | 'SANDBOX_UNAVAILABLE'
  | 'SKILL_NOT_FOUND'
  | 'SKILL_UNREADABLE'
  | 'SKILL_INVALID'
  | 'SKILL_NOT_INVOCABLE'
  | 'SHELL_UNAVAILABLE'
  | 'COMMAND_DENIED'
  | 'COMMAND_FAILED'
  | 'SHELL_SPAWN_FAILED'
  | 'FILE_CHANGED'
  | 'WORKER_TIMEOUT'
  | 'WORKER_OUT_OF_MEMORY'
  | 'WORKER_FAILED'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_FAILED'
  | 'MODEL_MISMATCH'
  | 'AGENT_NOT_FOUND'
  | 'TOOL_FAILED'
  | 'HOOK_STOPPED'
  | 'ABORTED'
  | 'TIMED_OUT'
  | 'CLOSED'
  | 'AUDIT_FAILED'
  | 'INTERNAL'

export const errorCodes: Readonly<Record<ErrorCode, ErrorKind>> = {
  USAGE: {
    exitCode: 2,
    meaning: 'The command line or an option is wrong',
    remedy: 'Read the message; `skillcell --help` lists what there is',
  },
  CONFIG_INVALID: { exitCode: 2, meaning: 'A configuration value cannot be used', remedy: 'Mend the key that the message names' },
  POLICY_INVALID: {
    exitCode: 2,
    meaning: 'A policy cannot be read or holds an unknown rule; nothing starts',
    remedy: 'Mend the file and line that the message names',
  },
  SANDBOX_UNAVAILABLE: {
    exitCode: 2,
    meaning: '`sandbox: required`, and this machine has none',
    remedy: 'Install what the message names, or choose `--sandbox auto`',
  },
  SKILL_NOT_FOUND: {
    exitCode: 4,
    meaning: 'No skill has that name',
    remedy: 'The message lists near names; `skillcell list --all` shows all',
  },
  SKILL_UNREADABLE: {
    exitCode: 5,
    meaning: 'The file of the skill cannot be read, is no text, or is too large',
    remedy: 'The message names the file and what is wrong',
  },
  SKILL_INVALID: { exitCode: 5, meaning: 'The frontmatter cannot be used', remedy: 'The message shows the line and what to write instead' },
  SKILL_NOT_INVOCABLE: {
    exitCode: 3,
    meaning: 'The skill may not be invoked this way',
    remedy: 'A `user-invocable: false` skill is for the model, `disable-model-invocation: true` for the user',
  },
  SHELL_UNAVAILABLE: {
    exitCode: 5,
    meaning: 'The shell that the skill asks for is not on this machine',
    remedy: 'Install it, or use `shell: bash`',
  },
  COMMAND_DENIED: {
    exitCode: 3,
    meaning: 'Policy does not allow a command of the skill; none has run',
    remedy: '`skillcell policy explain` shows the rule; `--allow` adds one',
  },
  COMMAND_FAILED: {
    exitCode: 1,
    meaning: 'A command of the skill failed, under a dialect in which that ends the invocation',
    remedy: 'Mend the command, end it with `|| true`, or give its source the dialect `skillcell`',
  },
  SHELL_SPAWN_FAILED: {
    exitCode: 1,
    meaning: 'A command could not be started',
    remedy: 'The message names the program or folder that is missing',
  },
  FILE_CHANGED: {
    exitCode: 1,
    meaning: 'A file is not what was decided or read: a link was put on its way, it changed, or it is no ordinary file',
    remedy: 'Look at the path that the message names; then try again',
  },
  WORKER_TIMEOUT: {
    exitCode: 1,
    meaning: 'A worker thread did not answer within its limit',
    remedy: 'The skill body is too costly to expand; make it smaller',
  },
  WORKER_OUT_OF_MEMORY: {
    exitCode: 1,
    meaning: 'A worker thread used up its heap',
    remedy: 'The skill body or its arguments are too large; for a fork raise `agentHeapMb`',
  },
  WORKER_FAILED: { exitCode: 1, meaning: 'A worker thread ended unexpectedly', remedy: 'Report it with the message' },
  MODEL_UNAVAILABLE: {
    exitCode: 2,
    meaning: 'No model is configured for what was asked, or its name is not allowed',
    remedy: 'Give `--model anthropic:ID`, `openai:ID` or `script:FILE`, or set SKILLCELL_MODEL',
  },
  MODEL_FAILED: {
    exitCode: 1,
    meaning: 'The model gave no usable answer, after the last retry',
    remedy: 'The message names provider and status; mend the key or the address, or try later',
  },
  MODEL_MISMATCH: {
    exitCode: 1,
    meaning: 'A `script:` conversation does not match what the run asks of it',
    remedy: 'The message shows the difference; record it again with `--record`',
  },
  AGENT_NOT_FOUND: {
    exitCode: 5,
    meaning: 'A fork names an agent type that is not there',
    remedy: 'The message lists those there are',
  },
  TOOL_FAILED: {
    exitCode: 1,
    meaning: 'A tool could not do what it was asked; inside a fork the model reads it as a result',
    remedy: 'The message names the file or address and what is wrong',
  },
  HOOK_STOPPED: {
    exitCode: 3,
    meaning: 'A hook forbade the invocation or ended the run',
    remedy: 'The message has its reason; the skill that brought the hook is named',
  },
  ABORTED: { exitCode: 130, meaning: 'The caller ended the run', remedy: 'Run it again' },
  TIMED_OUT: { exitCode: 1, meaning: 'The run passed its deadline', remedy: 'Raise the deadline, or make the skill do less' },
  AUDIT_FAILED: {
    exitCode: 1,
    meaning: 'The audit cannot be written, so nothing runs',
    remedy: 'Free the disk or mend the folder that the message names; `skillcell audit verify` tells more',
  },
  CLOSED: { exitCode: 1, meaning: 'The runtime is closing and takes no more runs', remedy: 'Create a new runtime' },
  INTERNAL: { exitCode: 1, meaning: 'A fault of skillcell itself', remedy: 'Report it with the message' },
}

/** The one error class. `details` is plain data and crosses threads and HTTP with the code (SPEC R7.3). */
export class SkillcellError extends Error {
  override readonly name = 'SkillcellError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }
}

/** A problem that is reported and does not stop the rest. Lines and columns count from 1 and are those of the file. */
export interface Diagnostic {
  readonly code: string
  /** `note` does not fail `validate --strict`, `warning` does, `error` fails `validate` too. */
  readonly severity: 'note' | 'warning' | 'error'
  readonly message: string
  readonly path?: string
  readonly line?: number
  readonly column?: number
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a thrown value is a system error with one of these codes (`ENOENT`, `EACCES`, …). */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && (codes.length === 0 || codes.includes(error.code))
}
