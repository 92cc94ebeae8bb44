// A workspace of its own for policy tests, and a decision in one call.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { decideCommand } from '../../src/policy/decide.ts'
import type { Decision } from '../../src/policy/decision.ts'
import { loadPolicy } from '../../src/policy/load.ts'

export interface Place {
  readonly root: string
  readonly workspace: string
  readonly home: string
  write(path: string, text?: string): string
  link(path: string, target: string): void
  decide(
    command: string,
    rules?: Rules,
    options?: { readonly policy?: string; readonly readDirectories?: readonly string[] },
  ): Promise<Decision>
  remove(): void
}

export interface Rules {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export function createPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-policy-')))
  const workspace = join(root, 'workspace')
  const home = join(root, 'home')
  for (const folder of [workspace, home]) mkdirSync(folder)
  const ready = (path: string): string => {
    const absolute = path.startsWith('/') ? path : join(workspace, path)
    mkdirSync(dirname(absolute), { recursive: true })
    return absolute
  }
  return {
    root,
    workspace,
    home,
    write: (path, text = '') => {
      writeFileSync(ready(path), text)
      return ready(path)
    },
    link: (path, target) => symlinkSync(target, ready(path)),
    decide: async (command, rules = {}, { policy, readDirectories = [] } = {}) =>
      decideCommand(await loadPolicy({ workspace, home, ...rules, policy, from: workspace }), command, {
        workspace,
        home,
        extraReadDirectories: readDirectories,
        grants: [],
      }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
