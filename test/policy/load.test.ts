import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import { explainDecision } from '../../src/policy/explain.ts'
import { type Granting, grantsOf } from '../../src/policy/grants.ts'
import { loadPolicy, type PolicySources } from '../../src/policy/load.ts'
import { checkRule } from '../../src/policy/rule.ts'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.remove())

const load = (sources: Partial<PolicySources> = {}): ReturnType<typeof loadPolicy> =>
  loadPolicy({ workspace: place.workspace, home: place.home, from: place.workspace, ...sources })

describe('loadPolicy() stops the start rather than fall open', () => {
  test.each([
    ['not YAML', 'allow: [\n', /policy\.yaml/],
    ['an unknown key', 'deny: [Bash]\nalow: [Bash]\n', /line 2.*alow.*there are .*allow/],
    ['a wrong type', 'shellExecution: maybe\n', /line 1: shellExecution/],
    ['an unknown tool', 'allow:\n  - Bash(ls *)\n  - Bsh(ls *)\n', /line 3.*Bsh/],
    ['an open bracket', 'deny:\n  - Bash(rm *\n', /line 2.*closing bracket/],
    ['an empty pattern', 'deny: [Bash()]\n', /line 1.*empty pattern/],
    ['a rule that is no text', 'deny: [{Bash: rm}]\n', /line 1: deny\.0/],
    ['itself extended', 'extends: ./policy.yaml\n', /extends itself/],
    ['a missing base', 'extends: ./none.yaml\n', /none\.yaml.*which/],
    ['an alias', 'allow: &a [Read]\nask: *a\n', /policy\.yaml/],
    ['a custom tag', 'allow: !!js/function "x"\n', /policy\.yaml/],
  ])('%s', async (_what, text, message) => {
    place.write('policy.yaml', text)
    const error = await load({ policy: 'policy.yaml' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SkillcellError)
    expect(error).toMatchObject({ code: 'POLICY_INVALID', message: expect.stringMatching(message) })
  })

  test.each([
    ['a policy that is not there', { policy: 'absent.yaml' }],
    ['a flag that is no rule', { allow: ['Bash('] }],
    ['a flag for an unknown tool', { deny: ['Bsh(x)'] }],
  ])('%s', async (_what, sources) => {
    await expect(load(sources)).rejects.toMatchObject({ code: 'POLICY_INVALID' })
  })

  test.each(['user', 'project', 'managed'])('a broken policy of the %s', async which => {
    const folders: Record<string, string> = { user: `${place.home}/.skillcell`, project: '.skillcell', managed: `${place.root}/managed` }
    place.write(`${folders[which]}/policy.yaml`, 'deny: [')
    await expect(load({ managedDir: `${place.root}/managed` })).rejects.toMatchObject({ code: 'POLICY_INVALID' })
  })
})

test.skipIf(process.platform === 'win32').each(['policy.yaml', '.skillcell/policy.yaml', '.claude/settings.json'])(
  'a FIFO as %s does not hang',
  async path => {
    const absolute = place.write(path)
    rmSync(absolute)
    execFileSync('mkfifo', [absolute])
    await expect(load({ policy: path === 'policy.yaml' ? path : undefined })).rejects.toMatchObject({ code: 'POLICY_INVALID' })
  },
)

test('every policy that comes with skillcell can be loaded', async () => {
  for (const policy of ['default', 'read-only', 'unattended', 'trusted']) await expect(load({ policy })).resolves.toBeDefined()
})

describe('the four policies', () => {
  test.each([
    ['default', 'ls', 'allow'],
    ['default', 'make', 'ask'],
    ['read-only', 'ls', 'allow'],
    ['read-only', 'make', 'deny'],
    ['read-only', 'ls > f', 'deny'],
    ['unattended', 'ls', 'allow'],
    ['unattended', 'make', 'deny'],
    ['trusted', 'make > f', 'allow'],
  ])('%s: %j is %s', async (policy, command, decision) => {
    expect((await place.decide(command, {}, { policy })).decision).toBe(decision)
  })
})

describe('what stands in a workspace', () => {
  test('may deny and ask, and allows nothing until it is trusted', async () => {
    place.write('.skillcell/policy.yaml', 'allow: ["Bash(make *)"]\nask: ["Bash(npm *)"]\ndeny: ["Bash(rm *)"]\n')
    place.write(
      '.claude/settings.json',
      JSON.stringify({ permissions: { allow: ['Bash'], deny: ['Bash(mv *)'], additionalDirectories: ['/'] } }),
    )
    const policy = await load()
    expect(policy.rules.allow).toEqual([])
    expect(policy.rules.deny.map(rule => rule.text)).toEqual(['Bash(rm *)', 'Bash(mv *)'])
    expect(policy.rules.ask.map(rule => rule.text)).toEqual(['Bash(npm *)'])
    expect(policy.additionalDirectories).toEqual([])
    expect(policy.diagnostics.map(each => each.code)).toEqual(['RULE_UNTRUSTED', 'RULE_UNTRUSTED'])
    const trusted = await load({ trustWorkspace: true })
    expect(trusted.rules.allow.map(rule => rule.text)).toEqual(['Bash(make *)', 'Bash'])
    expect(trusted.additionalDirectories).toEqual(['/'])
  })

  test('narrows scalars and never widens them', async () => {
    place.write(`${place.home}/.skillcell/policy.yaml`, 'unmatched: deny\ngrants: ceiling\n')
    place.write('.skillcell/policy.yaml', 'unmatched: ask\nshellExecution: false\ngrants: full\n')
    const { scalars } = await load()
    expect(scalars).toMatchObject({ unmatched: 'deny', shellExecution: false })
    expect(scalars.grants.project).toBe('ceiling')
  })

  test('a managed policy has the last word over the user', async () => {
    place.write(`${place.home}/.skillcell/policy.yaml`, 'unmatched: ask\n')
    place.write(`${place.root}/managed/policy.yaml`, 'unmatched: deny\n')
    expect((await load({ managedDir: `${place.root}/managed` })).scalars.unmatched).toBe('deny')
  })
})

describe('settings.json of Claude Code', () => {
  test("the user's own allows, and `/` in it is the folder that holds .claude", async () => {
    place.write(
      `${place.home}/.claude/settings.json`,
      JSON.stringify({
        permissions: { allow: ['Bash(make *)', 'Edit(/notes/**)', 'SomeTool(x)'], additionalDirectories: ['~/shared'] },
        model: 'x',
      }),
    )
    const policy = await load()
    expect(policy.rules.allow.map(rule => rule.text)).toEqual(['Bash(make *)', 'Edit(/notes/**)'])
    expect(policy.rules.allow[1]?.root).toBe(place.home)
    expect(policy.additionalDirectories).toEqual([`${place.home}/shared`])
    expect(policy.diagnostics).toMatchObject([{ code: 'RULE_IGNORED' }])
  })

  test.each([
    ['not JSON', '{'],
    ['rules that are no list', '{"permissions":{"deny":"Bash"}}'],
    ['a deny rule that cannot be read', '{"permissions":{"deny":["Bash(rm"]}}'],
  ])('%s stops the start: a deny rule would be lost', async (_what, text) => {
    place.write('.claude/settings.json', text)
    await expect(load()).rejects.toMatchObject({ code: 'POLICY_INVALID' })
  })
})

describe('grantsOf() bounds what a skill grants itself', () => {
  const skill = (...allowedTools: readonly string[]): Granting => ({
    id: 's',
    source: 'project',
    path: '/skills/s/SKILL.md',
    baseDir: '/skills/s',
    allowedTools: allowedTools.map(text => ({ text, pieces: [text] })),
  })

  test('full by default; unknown tools are inert', async () => {
    const { rules, diagnostics } = grantsOf(await load(), skill('Bash(make *)', 'NoSuchTool', 'Bash('))
    expect(rules.map(rule => rule.text)).toEqual(['Bash(make *)'])
    expect(diagnostics).toEqual([])
  })

  test('none cuts all and says so; remote skills start there', async () => {
    const { rules, diagnostics } = grantsOf(await load(), { ...skill('Bash(make *)'), source: 'mcp' })
    expect(rules).toEqual([])
    expect(diagnostics).toMatchObject([{ code: 'GRANT_CUT', message: expect.stringContaining('Bash(make *)') }])
  })

  test('under a ceiling a command must be matched by the grant and by the ceiling', async () => {
    const policy = { ...(await load({ policy: 'unattended' })) }
    const { decideCommand } = await import('../../src/policy/decide.ts')
    const { rules, diagnostics } = grantsOf(policy, skill('Bash', 'Edit'))
    expect(diagnostics.map(each => each.code)).toEqual(['GRANT_CUT', 'GRANT_CUT'])
    const decide = (command: string): string =>
      decideCommand(policy, command, { workspace: place.workspace, home: place.home, extraReadDirectories: [], grants: rules }).decision
    expect(decide('/skills/s/run.sh a')).toBe('allow')
    expect(decide('bash /skills/s/run.sh a')).toBe('allow')
    expect(decide('make')).toBe('deny')
    expect(decide('/skills/s/run.sh a && make')).toBe('deny')
    expect(decide('/skills/s/run.sh > f')).toBe('deny')
  })

  test('a folder named like a pattern is no pattern', async () => {
    const policy = await load({ policy: 'unattended' })
    const { decideCommand } = await import('../../src/policy/decide.ts')
    const { rules } = grantsOf(policy, { ...skill('Bash'), baseDir: '/skills/*' })
    const decide = (command: string): string =>
      decideCommand(policy, command, { workspace: place.workspace, home: place.home, extraReadDirectories: [], grants: rules }).decision
    expect(decide("'/skills/*/run.sh' a")).toBe('allow')
    expect(decide('/skills/other/run.sh a')).toBe('deny')
  })
})

test.each([
  ['Bash', undefined],
  ['Bash(git log *)', undefined],
  ['Read(//etc/**)', undefined],
  ['WebFetch(domain:example.com)', undefined],
  ['mcp__server__tool', undefined],
  ['Skill:name', undefined],
  ['Skill(prefix:*)', undefined],
  ['run_shell', undefined],
  ['NoSuchTool', /unknown tool/],
  ['Bash(', /closing bracket/],
  ['Bash()', /empty pattern/],
  ['WebFetch(example.com)', /domain:/],
  ['', /no rule/],
  ['B*', /wildcard/],
])('checkRule(%j): %s', (text, problem) => {
  const found = checkRule(text)
  if (problem) expect(found).toMatch(problem)
  else expect(found).toBeUndefined()
})

test('explainDecision() draws each command with its answer, rule and source, and hides nothing in a terminal', async () => {
  const command = 'pwd && timeout 5 git push "a\u001b[2K"'
  const text = explainDecision(command, await place.decide(command, { deny: ['Bash(git push *)'] }))
  expect(text).toContain('DENY')
  expect(text).toContain('├─ allow pwd')
  expect(text).toContain('Bash(git push *) (--deny)')
  expect(text).toContain('\\u{1b}')
  expect(text).not.toContain('\u001b')
})
