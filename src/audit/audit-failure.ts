// The one error of the audit. Nothing runs unaudited, so each of these stops the act it stands before.

import { messageOf, SkillcellError } from '../errors.ts'

/** `problem` says what is wrong and, where there is one, what to do. */
export function auditFailure(directory: string, problem: string, cause?: unknown): SkillcellError {
  const why = cause === undefined ? problem : `${problem}: ${messageOf(cause)}`
  return new SkillcellError('AUDIT_FAILED', `Cannot write the audit in "${directory}": ${why}`, { cause, details: { directory } })
}

/** The log is not what was written. The writer stops: going on would put a valid checkpoint over what happened. */
export function auditDamaged(directory: string, problem: string): SkillcellError {
  return auditFailure(directory, `${problem}; \`skillcell audit verify\` tells more; move the folder away to begin a new audit`)
}
