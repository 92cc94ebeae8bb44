import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfiguration } from '../../src/config.ts'
import { configurationKeys } from '../../src/config-files.ts'
import { limits } from '../../src/limits.ts'
import type { RuntimeOptions } from '../../src/options.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillcell-config-'))
  await mkdir(join(root, 'home'))
  await mkdir(join(root, 'project'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

interface Place {
  readonly user?: string
  readonly project?: string
  readonly settings?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly flags?: RuntimeOptions
}

async function configure({ user, project, settings = {}, environment = {}, flags = {} }: Place) {
  const files = {
    ...settings,
    ...(user && { 'home/.skillcell/config.yaml': user }),
    ...(project && { 'project/.skillcell/config.yaml': project }),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return readConfiguration({ cwd: join(root, 'project'), home: join(root, 'home'), ...flags }, environment)
}

test('readConfiguration() lets user, project, environment and flags win in that order', async () => {
  const place: Place = {
    user: 'limits: {commandTimeoutMs: 4000}\n',
    project: 'limits: {commandTimeoutMs: 3000}\n',
    environment: { SKILLCELL_COMMAND_TIMEOUT_MS: '2000' },
    flags: { limits: { commandTimeoutMs: 1000 } },
  }
  const value = async (given: Place): Promise<number | undefined> => (await configure(given)).options.limits?.commandTimeoutMs
  expect(await value({ user: place.user })).toBe(4000)
  expect(await value({ user: place.user, project: place.project })).toBe(3000)
  expect(await value({ ...place, flags: {} })).toBe(2000)
  expect(await value(place)).toBe(1000)
})

test('readConfiguration() adds rules and plugins up, each once', async () => {
  const { options, values } = await configure({
    user: 'allow: [Read]\ndeny: [Bash(rm *)]\nplugins: [plug]\n',
    project: 'deny: [Bash(rm *), Bash(curl *)]\nask: [Bash(git push *)]\n',
    environment: { SKILLCELL_ALLOW: 'Bash(ls, *)\nGlob\n' },
    flags: { allow: ['Grep'] },
  })
  expect(options).toMatchObject({
    allow: ['Read', 'Bash(ls, *)', 'Glob', 'Grep'],
    deny: ['Bash(rm *)', 'Bash(curl *)'],
    ask: ['Bash(git push *)'],
    plugins: [join(root, 'home', '.skillcell', 'plug')],
  })
  expect(values.find(value => value.key === 'allow')?.from).toEqual([join(root, 'home/.skillcell/config.yaml'), '$SKILLCELL_ALLOW', 'flag'])
})

test('readConfiguration() tells each key once, with where it comes from', async () => {
  const { values } = await configure({ flags: { sandbox: 'off' } })
  const keys = values.map(value => value.key)
  expect(keys).toEqual([...new Set(keys)])
  expect(keys.toSorted()).toEqual(
    ['cwd', 'home', ...configurationKeys.filter(key => key !== 'limits'), ...Object.keys(limits).map(name => `limits.${name}`)].toSorted(),
  )
  expect(values.find(value => value.key === 'sandbox')).toEqual({ key: 'sandbox', value: 'off', from: ['flag'] })
  expect(values.find(value => value.key === 'dialect')).toEqual({ key: 'dialect', value: 'skillcell', from: ['default'] })
})

test('readConfiguration() takes dialects of sources from each layer, name by name', async () => {
  const { options, values } = await configure({
    user: 'dialect: wave\nsourceDialects: {plugin: claude, user: claude}\n',
    environment: { SKILLCELL_SOURCE_DIALECTS: 'user=skillcell' },
  })
  const sourceDialects = { plugin: 'claude', user: 'skillcell' }
  expect(options).toMatchObject({ dialect: 'wave', sourceDialects })
  const from = [join(root, 'home/.skillcell/config.yaml'), '$SKILLCELL_SOURCE_DIALECTS']
  expect(values).toContainEqual({ key: 'sourceDialects', value: sourceDialects, from })
})

test('readConfiguration() shows that no source has a dialect of its own, and what the dialect of all says of tools', async () => {
  const { values } = await configure({ flags: { dialect: 'claude' } })
  expect(values).toContainEqual({ key: 'sourceDialects', value: {}, from: ['default'] })
  expect(values).toContainEqual({ key: 'toolRestriction', value: 'none', from: ['default'] })
})

const widening: readonly [key: string, text: string, user?: string][] = [
  ['allow', 'allow: [Bash]'],
  ['policy', 'policy: trusted'],
  ['plugins', 'plugins: [x]'],
  ['managedDir', 'managedDir: x'],
  ['dialect', 'dialect: claude'],
  ['sourceDialects', 'sourceDialects: {project: claude}'],
  ['precedence', 'precedence: [project, managed]'],
  ['sandbox', 'sandbox: off'],
  ['sandbox', 'sandbox: auto', 'sandbox: required'],
  ['disableAgentSkillsDirectory', 'disableAgentSkillsDirectory: false', 'disableAgentSkillsDirectory: true'],
  ['limits.commandTimeoutMs', 'limits: {commandTimeoutMs: 120001}'],
  ['limits.commandTimeoutMs', 'limits: {commandTimeoutMs: 2}', 'limits: {commandTimeoutMs: 1}'],
  ['limits.commandTimeoutMs', 'limits: {commandTimeoutMs: 30001}', 'sourceDialects: {plugin: wave}'],
  // Fewer days would remove files of the user's other projects.
  ['limits.spillMaxAgeMs', 'limits: {spillMaxAgeMs: 1}'],
  ['limits.expansionHeapMb', 'limits: {expansionHeapMb: 1}'],
]

test.each(widening)('readConfiguration() refuses "%s" in a project that says %s', async (key, project, user) => {
  await expect(configure({ project, user })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`"${key}"`),
    details: { from: join(root, 'project/.skillcell/config.yaml') },
  })
})

const narrowing: readonly [text: string, options: RuntimeOptions][] = [
  ['deny: [Bash]', { deny: ['Bash'] }],
  ['ask: [Bash]', { ask: ['Bash'] }],
  ['sandbox: required', { sandbox: 'required' }],
  ['sandbox: auto', { sandbox: 'auto' }],
  ['disableAgentSkillsDirectory: true', { disableAgentSkillsDirectory: true }],
  ['limits: {commandTimeoutMs: 120000}', { limits: { commandTimeoutMs: 120_000 } }],
  ['limits: {commandTimeoutMs: 1}', { limits: { commandTimeoutMs: 1 } }],
  ['', {}],
  ['# nothing\n', {}],
]

test.each(narrowing)('readConfiguration() takes from a project: %s', async (project, options) => {
  expect((await configure({ project })).options).toMatchObject(options)
})

const broken: readonly [text: string, says: string][] = [
  ['sandbx: off', 'did you mean "sandbox"'],
  ['limits: {commandTimeout: 5}', 'did you mean "limits.commandTimeoutMs"'],
  ['entirelyUnknownThing: 1', 'there are "managedDir"'],
  ['cwd: /tmp', 'unknown key "cwd"'],
  ['__proto__: {sandbox: off}', 'unknown key "__proto__"'],
  ['constructor: 1', 'unknown key "constructor"'],
  ['sandbox: none', 'sandbox'],
  ['dialect: claud', 'Unknown dialect "claud"; did you mean "claude"'],
  ['sourceDialects: {plugins: claude}', 'Unknown source "plugins"; did you mean "plugin"'],
  ['sourceDialects: {everything: claude}', 'there are "managed"'],
  ['sourceDialects: {__proto__: claude}', 'Unknown source "__proto__"'],
  ['sourceDialects: {plugin: wav}', 'sourceDialects.plugin: Unknown dialect "wav"; did you mean "wave"'],
  ['sourceDialects: {plugin: 1}', 'sourceDialects.plugin'],
  ['sourceDialects: claude', 'sourceDialects'],
  ['limits: {commandTimeoutMs: 600001}', 'commandTimeoutMs'],
  ['limits: {commandTimeoutMs: 0}', 'commandTimeoutMs'],
  ['allow: Bash', 'allow'],
  ['- allow', 'list'],
  ['\n\nallow: [', 'line '],
  ['allow: &a [Read]\nask: *a', 'lias'],
]

test.each(broken)('readConfiguration() refuses a file with %j and names it', async (user, says) => {
  await expect(configure({ user })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(new RegExp(`config\\.yaml": .*${says.replace(/[.]/g, '\\.')}`, 's')),
  })
})

test('readConfiguration() takes the longest time limit there may be, and not one more', async () => {
  expect((await configure({ user: 'limits: {commandTimeoutMs: 600000}' })).options.limits).toEqual({ commandTimeoutMs: 600_000 })
})

test('readConfiguration() shows nothing of a file that is no YAML: it may be a link to a private one', async () => {
  await writeFile(join(root, 'secret'), 'TOKEN: [hunter2\n')
  await mkdir(join(root, 'project/.skillcell'), { recursive: true })
  await symlink(join(root, 'secret'), join(root, 'project/.skillcell/config.yaml'))
  const failed = await configure({}).catch(error => error)
  expect(failed).toMatchObject({ code: 'CONFIG_INVALID' })
  expect(failed.message).not.toContain('hunter2')
})

test('readConfiguration() refuses a device and a folder in place of a file, and hangs on neither', async () => {
  await mkdir(join(root, 'project/.skillcell/config.yaml'), { recursive: true })
  await expect(configure({})).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await rm(join(root, 'project/.skillcell/config.yaml'), { recursive: true })
  await symlink('/dev/zero', join(root, 'project/.skillcell/config.yaml'))
  await expect(configure({})).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('no regular file') })
})

const switches: readonly [what: string, place: Place, value: boolean | undefined][] = [
  ['nothing', {}, undefined],
  ['the user settings', { settings: { 'home/.claude/settings.json': '{"disableAgentSkillsDirectory": true}' } }, true],
  ['the project settings', { settings: { 'project/.claude/settings.json': '{"disableAgentSkillsDirectory": true}' } }, true],
  ['the local settings', { settings: { 'project/.claude/settings.local.json': '{"disableAgentSkillsDirectory": true}' } }, true],
  ['settings about other things', { settings: { 'home/.claude/settings.json': '{"model": "x"}' } }, undefined],
  ['our variable', { environment: { SKILLCELL_DISABLE_AGENT_SKILLS_DIR: '1' } }, true],
  ['the variable of Claude Code', { environment: { CLAUDE_CODE_DISABLE_AGENT_SKILLS_DIR: '1' } }, true],
  ['a variable that says 0', { environment: { SKILLCELL_DISABLE_AGENT_SKILLS_DIR: '0' } }, false],
  ['an empty variable', { environment: { SKILLCELL_DISABLE_AGENT_SKILLS_DIR: '' } }, undefined],
]

test.each(switches)('readConfiguration() reads the switch of .agents/skills from %s', async (_, place, value) => {
  expect((await configure(place)).options.disableAgentSkillsDirectory).toBe(value)
})

const variables: readonly [name: string, text: string, options: RuntimeOptions][] = [
  ['SKILLCELL_SANDBOX', 'off', { sandbox: 'off' }],
  ['SKILLCELL_DIALECT', 'wave', { dialect: 'wave' }],
  ['SKILLCELL_SOURCE_DIALECTS', 'plugin=claude, user = wave', { sourceDialects: { plugin: 'claude', user: 'wave' } }],
  ['SKILLCELL_POLICY', 'unattended', { policy: 'unattended' }],
  ['SKILLCELL_POLICY', '/etc/p.yaml', { policy: '/etc/p.yaml' }],
  ['SKILLCELL_PRECEDENCE', 'user, project', { precedence: ['user', 'project'] }],
  ['SKILLCELL_PLUGINS', '/a:/b c', { plugins: ['/a', '/b c'] }],
  ['SKILLCELL_MAX_OUTPUT_CHARS', '5', { limits: { maxOutputChars: 5 } }],
]

test.each(variables)('readConfiguration() reads $%s=%s', async (name, text, options) => {
  expect((await configure({ environment: { [name]: text } })).options).toMatchObject(options)
})

test.each([
  ['SKILLCELL_SANDBOX', 'perhaps'],
  ['SKILLCELL_SOURCE_DIALECTS', 'plugin'],
  ['SKILLCELL_SOURCE_DIALECTS', 'plugin=claude,'],
  ['SKILLCELL_SOURCE_DIALECTS', 'plugin=claude=wave'],
  ['SKILLCELL_SOURCE_DIALECTS', 'plugin=claude,plugin=wave'],
  ['SKILLCELL_SOURCE_DIALECTS', 'plugins=claude'],
  ['SKILLCELL_SOURCE_DIALECTS', '__proto__=claude'],
  ['SKILLCELL_MAX_OUTPUT_CHARS', '5x'],
  ['SKILLCELL_DISABLE_AGENT_SKILLS_DIR', 'perhaps'],
])('readConfiguration() refuses $%s=%s and names the variable', async (name, text) => {
  await expect(configure({ environment: { [name]: text } })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`$${name}`),
  })
})

test('readConfiguration() takes the files of a home that is the workspace as the user’s own', async () => {
  await mkdir(join(root, 'home/.skillcell'), { recursive: true })
  await writeFile(join(root, 'home/.skillcell/config.yaml'), 'allow: [Read]\n')
  const { options } = await readConfiguration({ cwd: join(root, 'home'), home: join(root, 'home') }, {})
  expect(options.allow).toEqual(['Read'])
})

test('readConfiguration() tells no secret of a server or a provider', async () => {
  const secret = 'hush4711'
  const { options, values } = await configure({
    user: [
      'mcpServers:',
      `  a: {command: run, args: [--token=${secret}, --key, ${secret}], env: {KEY: ${secret}}}`,
      `  b: {url: "https://u:${secret}@host.test/?k=${secret}", headers: {Authorization: Bearer ${secret}}}`,
      `modelProviders: {openai: {apiKey: ${secret}, baseUrl: "https://u:${secret}@host.test/?k=${secret}"}}`,
      '',
    ].join('\n'),
  })
  expect(JSON.stringify(options)).toContain(secret)
  expect(JSON.stringify(values)).not.toContain(secret)
})
