// What the audit tests share: a folder of their own, entries, and a child program that appends.

import { type ChildProcess, fork } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, onTestFinished } from 'vitest'
import { createAudit } from '../../src/audit/audit.ts'
import type { AuditEntry } from '../../src/audit/audit-entry.ts'

/** Removed after the test. The audit folder in it does not exist yet. */
export function auditFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state', 'audit')
}

export function entry(command: string, more: Partial<Extract<AuditEntry, { type: 'decision' }>> = {}): AuditEntry {
  return {
    type: 'decision',
    runId: 'run_1',
    who: { tenant: 'local', as: 'user' },
    asked: { tool: 'Bash', command },
    decision: 'allow',
    ...more,
  }
}

export async function writtenLog(directory: string, commands: readonly string[]): Promise<void> {
  const audit = createAudit({ directory, tenant: 'local' })
  for (const command of commands) audit.append(entry(command))
  await audit.close()
}

export function logPath(directory: string): string {
  return join(directory, 'audit.jsonl')
}

export function readLog(directory: string): Buffer {
  return readFileSync(logPath(directory))
}

/** Its lines, without the newline of each. */
export function logLines(directory: string): string[] {
  return readLog(directory).toString('utf8').split('\n').slice(0, -1)
}

export function writeLog(directory: string, content: string | Uint8Array): void {
  writeFileSync(logPath(directory), content)
}

/** Adds what a process leaves that dies in the middle of an append: the first half of a line. */
export function addHalfLine(directory: string): string {
  const half = logLines(directory).at(-1)?.slice(0, 100) ?? '{"half":'
  appendFileSync(logPath(directory), half)
  return half
}

let program: Promise<string> | undefined

/** The child program as JavaScript: node does not read TypeScript. */
export function childProgram(): Promise<string> {
  program ??= buildChild()
  return program
}

afterAll(async () => {
  if (program) rmSync(dirname(await program), { recursive: true, force: true })
})

async function buildChild(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'skillcell-audit-child-'))
  const entryFile = fileURLToPath(new URL('./audit-child.ts', import.meta.url))
  await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: entryFile, outDir, emptyOutDir: false, minify: false, rollupOptions: { output: { entryFileNames: 'child.mjs' } } },
  })
  return join(outDir, 'child.mjs')
}

export async function startChild(
  mode: 'append' | 'endless' | 'die-in-append' | 'die-in-three',
  directory: string,
  count = 0,
): Promise<ChildProcess> {
  const child = fork(await childProgram(), [mode, directory, String(count)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Gives `exit code` or the name of the signal. */
export function ended(child: ChildProcess): Promise<number | string> {
  return new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')))
}

export function message(child: ChildProcess): Promise<unknown> {
  return new Promise(resolve => child.once('message', resolve))
}
