// What the tests of this room share: a folder, a path as it was decided, and a search that runs ripgrep by a broker.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { DecidedPath } from '../../src/files/decided-path.ts'
import type { SearchCommand, SearchOptions } from '../../src/files/ripgrep.ts'
import { resolveLimits } from '../../src/limits.ts'
import type { SandboxMode } from '../../src/options.ts'
import { createBroker } from '../../src/shell/broker.ts'

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-files-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function decided(folder: string, name: string): DecidedPath {
  return { real: join(folder, name), shown: name }
}

export function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

export interface TestSearch extends SearchOptions {
  readonly asked: SearchCommand[]
}

export function testSearch(workspace: string, sandbox: SandboxMode = 'off', options: Partial<SearchOptions> = {}): TestSearch {
  const limits = resolveLimits({ killGraceMs: 300 }, 'skillcell')
  const broker = createBroker({ sandbox, stateDirectory: temporaryFolder(), limits, env: process.env })
  onTestFinished(() => broker.close())
  const asked: SearchCommand[] = []
  return {
    workspace,
    asked,
    runCommand: command => {
      asked.push(command)
      return broker.run(command)
    },
    mayRead: () => true,
    ...options,
  }
}

export function codeOf(act: () => unknown): { readonly code: string; readonly message: string } {
  try {
    act()
  } catch (error) {
    return error as { code: string; message: string }
  }
  return { code: 'NONE', message: '' }
}

export const failing = (code: string, message?: RegExp): unknown =>
  expect.objectContaining({ code, ...(message && { message: expect.stringMatching(message) }) })
