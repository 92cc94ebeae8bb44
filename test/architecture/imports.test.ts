// The rules of who may import whom, read off the import statements.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const maxLines = 300

interface Source {
  /** From the root, such as `src/skills/skill.ts`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[]
}

const sources = ['src', 'workers', 'test', 'bench'].flatMap(filesIn).map(readSource)
const ofProduct = sources.filter(({ path }) => path.startsWith('src/') || path.startsWith('workers/'))

const base: ReadonlySet<string> = new Set(
  [
    'agent-summary',
    'ask',
    'cut-text',
    'edit-distance',
    'errors',
    'events',
    'inside',
    'is-record',
    'limits',
    'near-names',
    'options',
    'dialect',
    'network-address',
    'network-hosts',
    'tool-names',
    'package-root',
    'plain-file',
    'private-folder',
    'process-identity',
    'protected-places',
    'schema-problem',
    'source-options',
    'turns',
    'until-aborted',
    'visible-text',
  ].map(name => `src/${name}.ts`),
)

/** Rooms that know nobody but the base and bash. */
const rooms = ['skills', 'expansion', 'policy', 'shell', 'protocol', 'models', 'tools', 'files', 'web', 'hooks', 'mcp']

/** The one type that two rooms share: a message between threads carries a plan. */
const sharedTypes: ReadonlySet<string> = new Set(['src/expansion/plan.ts'])

test('the sources are found', () => {
  expect(ofProduct.length).toBeGreaterThan(20)
  expect(ofProduct.flatMap(source => source.imports).length).toBeGreaterThan(50)
})

test('the base imports only the base', () => {
  expect(
    violations(
      ({ path }) => base.has(path),
      target => isOurs(target) && !base.has(target),
    ),
  ).toEqual([])
})

test('bash imports only the base', () => {
  expect(violations(inRoom('bash'), target => isOurs(target) && !base.has(target) && !isIn('bash', target))).toEqual([])
})

test.each(rooms)('%s imports only the base, bash and itself', room => {
  const foreign = (target: string, typeOnly: boolean): boolean =>
    isOurs(target) && !base.has(target) && !isIn('bash', target) && !isIn(room, target) && !(typeOnly && sharedTypes.has(target))
  expect(violations(inRoom(room), foreign)).toEqual([])
})

test('the worker half imports nothing of the host', () => {
  const hostOnly = (target: string): boolean =>
    ['policy', 'shell', 'pool', 'cli', 'server', 'batch'].some(room => isIn(room, target)) ||
    ['src/tool-gate.ts', 'src/run.ts', 'src/runtime.ts'].includes(target)
  const workerHalf = ({ path }: Source): boolean =>
    path.startsWith('workers/') || ['agent', 'tools', 'models', 'expansion'].some(room => isIn(room, path))
  expect(violations(workerHalf, hostOnly)).toEqual([])
})

test('the host half does not import the agent', () => {
  const host = ({ path }: Source): boolean => !path.startsWith('workers/') && !['agent', 'tools', 'models'].some(room => isIn(room, path))
  expect(violations(host, target => isIn('agent', target))).toEqual([])
})

test('nothing but themselves imports the command line, the server or the batch', () => {
  for (const front of ['cli', 'server', 'batch'])
    expect(
      violations(
        ({ path }) => !isIn(front, path),
        target => isIn(front, target),
      ),
    ).toEqual([])
})

test('the fronts import no room', () => {
  const fronts = ({ path }: Source): boolean => ['cli', 'server', 'batch'].some(front => isIn(front, path))
  expect(violations(fronts, (target, typeOnly) => !typeOnly && [...rooms, 'bash', 'pool'].some(room => isIn(room, target)))).toEqual([])
})

test('only the shell room starts processes', () => {
  const starts = (target: string): boolean => /^(node:)?(child_process|cluster)$/.test(target) || ['execa', 'cross-spawn'].includes(target)
  expect(violations(({ path }) => !isIn('shell', path), starts)).toEqual([])
})

test('there is no drawer for odds and ends, and one index', () => {
  expect(sources.filter(({ path }) => /(^|\/)(utils|common|helpers|types)(\/|\.ts$)/.test(path)).map(({ path }) => path)).toEqual([])
  expect(sources.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path)).toEqual(['src/index.ts'])
})

test('each file begins with a comment that says what it does', () => {
  const headless = ofProduct.filter(({ text }) => !text.replace(/^#!.*\n/, '').startsWith('//'))
  expect(headless.map(({ path }) => path)).toEqual([])
})

test(`no file has more than ${maxLines} lines`, () => {
  const long = sources.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length })).filter(({ lines }) => lines > maxLines)
  expect(long).toEqual([])
})

test('every relative import names a file that is there', () => {
  const missing = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => /^(src|workers|test|bench)\//.test(target) && !existsSync(join(root, target)))
      .map(({ target }) => `${path} → ${target}`),
  )
  expect(missing).toEqual([])
})

function violations(where: (source: Source) => boolean, forbids: (target: string, typeOnly: boolean) => boolean): string[] {
  return ofProduct
    .filter(where)
    .flatMap(({ path, imports }) =>
      imports.filter(({ target, typeOnly }) => forbids(target, typeOnly)).map(({ target }) => `${path} → ${target}`),
    )
}

function isOurs(target: string): boolean {
  return target.startsWith('src/') || target.startsWith('workers/')
}

function isIn(room: string, path: string): boolean {
  return path.startsWith(`src/${room}/`)
}

function inRoom(room: string): (source: Source) => boolean {
  return ({ path }) => isIn(room, path)
}

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)
  const dynamic = text.matchAll(/(?<=\bimport\(\s*)['"]([^'"]+)['"]/g)
  return {
    path,
    text,
    imports: [
      ...[...statements].map(([, typeOnly, target]) => ({ target: resolved(path, target ?? ''), typeOnly: typeOnly !== undefined })),
      ...[...dynamic].map(([, target]) => ({ target: resolved(path, target ?? ''), typeOnly: false })),
    ],
  }
}

function resolved(from: string, target: string): string {
  return target.startsWith('.') ? relative(root, join(root, dirname(from), target)) : target
}
