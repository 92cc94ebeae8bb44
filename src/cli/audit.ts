// skillcell audit: checks the log of this user, and shows its last entries. Reads only; a broken configuration does not stop it.
// SKILLCELL_AUDIT_KEY is the key, where the log was written with one.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { SkillcellError } from '../errors.ts'
import { stateDirectory } from '../state.ts'
import { untilAborted } from '../until-aborted.ts'
import type { CommandContext } from './context.ts'
import { note, oneLine, print, printJson, styled, table } from './output.ts'

/** Exit 1 when the log is not what was written. */
export async function auditVerify({ flags, json, signal }: CommandContext): Promise<number> {
  const directory = auditDirectory(flags.home)
  const { parseAuditKey } = await import('../audit/audit-key.ts')
  const { verifyAudit } = await import('../audit/audit-verify.ts')
  const given = process.env.SKILLCELL_AUDIT_KEY
  const report = await untilAborted(verifyAudit(directory, given ? parseAuditKey(given) : undefined), signal)
  if (json) {
    await printJson({ ...report, directory })
    return report.ok ? 0 : 1
  }
  for (const { line, kind, message } of report.problems)
    await print(`${styled(kind === 'torn' ? 'yellow' : 'red', kind.padEnd(10))} ${line === 0 ? '' : `line ${line}: `}${oneLine(message)}`)
  if (report.problemCount > report.problems.length) await print(`… and ${report.problemCount - report.problems.length} more`)
  const verdict = report.ok ? styled('green', 'The audit is what was written') : styled('red', 'The audit is NOT what was written')
  await print(
    `${verdict}: ${report.lines === 1 ? '1 line' : `${report.lines} lines`}${report.uncovered > 0 ? `, the last ${report.uncovered} without a checkpoint yet,` : ''} in ${oneLine(directory)}, last ${report.head.sequence} ${report.head.hash}`,
  )
  return report.ok ? 0 : 1
}

export async function auditShow({ flags, json, signal }: CommandContext, { last = '20' }: { readonly last?: string }): Promise<number> {
  const { maxLastEntries, readLastEntries } = await import('../audit/audit-last.ts')
  const count = Number(last)
  if (!/^\d+$/.test(last) || count < 1 || count > maxLastEntries)
    throw new SkillcellError('USAGE', `Cannot use --last "${last}": it is a whole number from 1 to ${maxLastEntries}`)
  const { entries, unreadable } = await untilAborted(readLastEntries(auditDirectory(flags.home), count), signal)
  if (json) {
    await printJson({ entries, unreadable })
    return 0
  }
  if (unreadable > 0) note(`${unreadable === 1 ? '1 line' : `${unreadable} lines`} cannot be read; \`skillcell audit verify\` tells more`)
  if (entries.length === 0) note('The audit is empty')
  else await print(table([['AT', 'WHO', 'WHAT', 'SKILL', 'ANSWER', 'ASKED'], ...entries.map(row)]))
  return 0
}

function auditDirectory(home: string | undefined): string {
  return join(stateDirectory(resolve(home ?? homedir()), process.env), 'audit')
}

type Entry = Readonly<Record<string, unknown>>

function row(entry: Entry): readonly string[] {
  const { command, path, url, name, tool } = member(entry, 'asked')
  const answer = entry.decision ?? entry.answer ?? entry.exitCode ?? (entry.type === 'run.finished' ? entry.reason : undefined)
  const asked = [tool, command ?? path ?? url ?? name].filter(part => part !== undefined).map(textOf)
  return [entry.at, member(entry, 'who').as, entry.type, entry.skill, answer].map(textOf).concat(asked.join(' '))
}

function member(entry: Entry, name: string): Entry {
  const value = entry[name]
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A text that was cut stands as `{ cut, … }`. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return 'cut' in value ? `${String(value.cut)}…` : JSON.stringify(value)
  return value === undefined ? '' : String(value)
}
