// The table of dialects, row by row, for a source that has another dialect than the rest: its skills follow that one, all others do not.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createDialectOf, type DialectName, dialects } from '../../src/dialect.ts'
import { type RuntimeOptions, sourceNames } from '../../src/options.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'

test('createDialectOf() takes the dialect of the source, else the one for all, else skillcell', () => {
  const names = (options: RuntimeOptions): readonly DialectName[] => sourceNames.map(source => createDialectOf(options)(source).name)
  expect(names({})).toEqual(sourceNames.map(() => 'skillcell'))
  expect(names({ dialect: 'wave' })).toEqual(sourceNames.map(() => 'wave'))
  for (const source of sourceNames)
    expect(names({ dialect: 'wave', sourceDialects: { [source]: 'claude' } })).toEqual(
      sourceNames.map(each => (each === source ? 'claude' : 'wave')),
    )
})

test('createDialectOf() gives each column of the table', () => {
  for (const name of ['skillcell', 'wave', 'claude'] as const)
    expect(createDialectOf({ sourceDialects: { mcp: name } })('mcp')).toEqual(dialects[name])
})

test('createDialectOf() lets a time limit and a tool restriction of the options win', () => {
  const given = { limits: { commandTimeoutMs: 7 }, sourceDialects: { user: 'wave', plugin: 'claude' } } as const
  const turn = createDialectOf({ ...given, toolRestriction: 'turn' })
  expect([turn('user').commandTimeoutMs, turn('plugin').commandTimeoutMs, turn('project').commandTimeoutMs]).toEqual([7, 7, 7])
  expect([turn('user').toolRestriction, turn('plugin').toolRestriction]).toEqual(['turn', 'turn'])
  const none = createDialectOf({ ...given, toolRestriction: 'none' })
  expect([none('user').toolRestriction, none('plugin').toolRestriction]).toEqual(['none', 'none'])
})

interface Row {
  readonly what: string
  readonly dialect: DialectName
  readonly body: string
  readonly args?: string
  readonly fields?: string
  /** What stands for the body under the dialect, and under skillcell. */
  readonly other: string
  readonly own: string
}

const rows: readonly Row[] = [
  { what: 'the first argument', dialect: 'claude', fields: 'argument-hint: words\n', body: 'A $1', args: 'x y', other: 'A y', own: 'A x' },
  {
    what: 'an argument that is missing',
    dialect: 'claude',
    body: 'A $ARGUMENTS[0] $ARGUMENTS[4]',
    args: 'x',
    other: 'A x $ARGUMENTS[4]',
    own: 'A x ',
  },
  { what: 'appended arguments', dialect: 'wave', body: 'A', args: 'x', other: 'A x', own: 'A\n\nARGUMENTS: x' },
  { what: 'stderr of a success', dialect: 'claude', body: 'A !`echo out; echo err >&2`', other: 'A out\nerr', own: 'A out' },
  { what: 'white space around an output', dialect: 'wave', body: 'A !`printf "\\n x \\n"` B', other: 'A x B', own: 'A \n x  B' },
  {
    what: 'a search that finds nothing',
    dialect: 'claude',
    body: 'A !`echo x | grep y` B',
    other: 'A <error>Command failed (exit code 1): </error> B',
    own: 'A <error>Command failed (exit code 1): </error> B',
  },
]

const sides: readonly [side: 'user' | 'project', other: 'project' | 'user'][] = [
  ['user', 'project'],
  ['project', 'user'],
]

test.each(rows.flatMap(row => sides.map(([side, rest]) => ({ ...row, side, rest }))))(
  'expand() follows the dialect of $side in $what, and not in skills of $rest',
  async ({ dialect, body, args = '', fields = '', other, own, side, rest }) => {
    const place = openPlace()
    place.skill(side, 'changed', body, fields)
    place.skill(rest, 'same', body, fields)
    const runtime = await place.open({ sourceDialects: { [side]: dialect } })
    const changed = await runtime.expand('changed', { args })
    const same = await runtime.expand('same', { args })
    expect({ text: textOf(changed.prompt), dialect: changed.dialect }).toEqual({ text: other, dialect })
    expect({ text: textOf(same.prompt), dialect: same.dialect }).toEqual({ text: own, dialect: 'skillcell' })
  },
)

test('expand() keeps a source at skillcell while all others have another dialect', async () => {
  const place = openPlace()
  place.skill('user', 'same', 'A !`exit 3` $1')
  place.skill('project', 'changed', 'A !`exit 3` $1')
  const runtime = await place.open({ dialect: 'claude', sourceDialects: { user: 'skillcell' } })
  expect(textOf((await runtime.expand('same', { args: 'x y' })).prompt)).toBe('A <error>Command failed (exit code 3): </error> x')
  await expect(runtime.expand('changed', { args: 'x y' })).rejects.toMatchObject({ code: 'COMMAND_FAILED' })
})

test('expand() ends with a failing command where the source of the skill says so, and nothing after it runs', async () => {
  const place = openPlace()
  place.skill('user', 'changed', 'A !`exit 3` !`touch changed`')
  place.skill('project', 'same', 'A !`exit 3` !`touch same`')
  const runtime = await place.open({ sourceDialects: { user: 'claude' } })
  await expect(runtime.expand('changed')).rejects.toMatchObject({ code: 'COMMAND_FAILED', details: { pattern: 'exit 3', exitCode: 3 } })
  expect((await runtime.expand('same')).commands).toMatchObject([{ status: 'failed' }, { status: 'ok' }])
  expect([existsSync(join(place.project, 'changed')), existsSync(join(place.project, 'same'))]).toEqual([false, true])
})

test('the order of sources follows the dialect of all, whatever single sources have', async () => {
  const place = openPlace()
  for (const source of ['user', 'project'] as const) place.skill(source, 's', `Of ${source}`)
  const winner = async (options: RuntimeOptions): Promise<string> => textOf((await (await place.open(options)).expand('s')).prompt)
  expect(await winner({ sourceDialects: { user: 'claude', project: 'claude' } })).toBe('Of project')
  expect(await winner({ dialect: 'claude', sourceDialects: { user: 'skillcell', project: 'wave' } })).toBe('Of user')
})

test('skills of a plugin have their own dialect too', async () => {
  const place = openPlace()
  place.write('plug/.claude-plugin/plugin.json', '{"name": "plug"}')
  place.write('plug/skills/s/SKILL.md', '---\nname: s\ndescription: d\nargument-hint: words\n---\nA $1\n')
  const runtime = await place.open({ plugins: [join(place.root, 'plug')], sourceDialects: { plugin: 'claude' } })
  expect(await runtime.expand('plug:s', { args: 'x y' })).toMatchObject({ dialect: 'claude', prompt: expect.stringContaining('A y') })
})

test('createRuntime() refuses an unknown source and an unknown dialect, with near names', async () => {
  const place = openPlace()
  const refused = async (sourceDialects: object): Promise<unknown> => place.open({ sourceDialects }).catch(error => error)
  expect(await refused({ plugins: 'claude' })).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('"plugin"?') })
  expect(await refused({ plugin: 'cloude' })).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('"claude"?') })
})

test('nothing of the host looks into the table but through dialectOf()', () => {
  const folder = fileURLToPath(new URL('../../src', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  const matching = (pattern: RegExp): readonly string[] =>
    files.filter(name => pattern.test(readFileSync(join(folder, name), 'utf8'))).sort()
  // Options and their defaults, what crosses to a thread, and the thread's own side.
  expect(matching(/import \{[^}]*\bdialects\b[^}]*\} from/)).toEqual(
    [
      'cli/flags',
      'config',
      'expansion/expand',
      'expansion/numbering',
      'expansion/render',
      'limits',
      'options',
      'protocol/messages',
      'setup',
    ].map(name => `${name}.ts`),
  )
  expect(matching(/limits\.commandTimeoutMs/).filter(name => !/^(config|dialect)\.ts$/.test(name))).toEqual([])
})

interface Place {
  readonly root: string
  readonly project: string
  write(path: string, text: string): void
  skill(source: 'user' | 'project', name: string, body: string, fields?: string): void
  open(options: RuntimeOptions): Promise<Runtime>
}

function openPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-dialect-')))
  const opened: Runtime[] = []
  for (const folder of ['home', 'project']) mkdirSync(join(root, folder))
  onTestFinished(async () => {
    for (const runtime of opened) await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })
  const write: Place['write'] = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return {
    root,
    project: join(root, 'project'),
    write,
    skill: (source, name, body, fields = '') =>
      write(
        `${source === 'user' ? 'home' : 'project'}/.skillcell/skills/${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: d\n${fields}---\n${body}\n`,
      ),
    open: async options => {
      const runtime = await createRuntime({
        cwd: join(root, 'project'),
        home: join(root, 'home'),
        sandbox: 'off',
        allow: ['Bash', 'Edit'],
        ...options,
      })
      opened.push(runtime)
      return runtime
    },
  }
}

/** Without the line of the folder and the last line ends. */
function textOf(prompt: string): string {
  return prompt.replace(/^Base directory.*\n\n/, '').replace(/\n+$/, '')
}
