// A folder for one test: files by relative path, a catalog over it, gone after the test.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { dialects } from '../../src/dialect.ts'
import { type Catalog, createCatalog } from '../../src/skills/catalog.ts'
import type { CatalogOptions } from '../../src/skills/snapshot.ts'

export const limits = { maxSkillBytes: 1024 * 1024, maxFrontmatterBytes: 64 * 1024 }

export interface Workspace {
  readonly root: string
  readonly project: string
  readonly home: string
  write(path: string, text: string | Uint8Array): void
  link(path: string, target: string): void
  catalog(options?: Partial<CatalogOptions>): Catalog
}

export function createWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-skills-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, 'project')
  const home = join(root, 'home')
  for (const folder of [project, home]) mkdirSync(folder)
  const place = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    return join(root, path)
  }
  const write = (path: string, text: string | Uint8Array): void => writeFileSync(place(path), text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    root,
    project,
    home,
    write,
    link: (path, target) => symlinkSync(target, place(path)),
    catalog: options =>
      createCatalog({
        workspace: project,
        home,
        plugins: [],
        precedence: dialects.skillcell.precedence,
        disableAgentSkillsDirectory: false,
        limits,
        ...options,
      }),
  }
}

export function skillText(name: string, more = 'description: d', body = 'Body\n'): string {
  return `---\nname: ${name}\n${more}\n---\n${body}`
}
