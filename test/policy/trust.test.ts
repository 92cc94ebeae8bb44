import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addCommonFlags, commonFlags } from '../../src/cli/flags.ts'
import { readConfiguration } from '../../src/config.ts'
import type { RuntimeOptions } from '../../src/options.ts'
import { loadPolicy, type Policy } from '../../src/policy/load.ts'
import { policySources } from '../../src/policy-setup.ts'
import { prepareSetup } from '../../src/setup.ts'
import { createPlace, type Place } from './support.ts'

let place: Place
let project = ''
beforeEach(() => {
  place = createPlace()
  project = place.workspace
  place.write(
    '.claude/settings.json',
    '{"permissions": {"allow": ["Bash(make *)"], "deny": ["Bash(rm *)"], "additionalDirectories": ["../other"]}}',
  )
  place.write('.skillcell/policy.yaml', 'allow: [Bash(cargo *)]\n')
  mkdirSync(join(place.root, 'other'))
})
afterEach(() => place.remove())

async function policyOf(flags: RuntimeOptions, environment: NodeJS.ProcessEnv = {}): Promise<Policy> {
  const { options } = await readConfiguration({ cwd: project, home: place.home, ...flags }, environment)
  return loadPolicy(policySources(await prepareSetup(options, {})))
}

const granted = (policy: Policy): unknown => [policy.rules.allow.map(rule => rule.text), policy.additionalDirectories]
const everything = (): unknown => [['Bash(cargo *)', 'Bash(make *)'], [join(place.root, 'other')]]

test('a workspace that nobody trusts may deny and ask only, and the warning names the option', async () => {
  const policy = await policyOf({})
  expect(granted(policy)).toEqual([[], []])
  expect(policy.rules.deny.map(rule => rule.text)).toEqual(['Bash(rm *)'])
  const warnings = policy.diagnostics.filter(({ code }) => code === 'RULE_UNTRUSTED')
  expect(warnings).toHaveLength(2)
  for (const { message } of warnings) expect(message).toMatch(/trustedWorkspaces.*--trust-workspace/)
})

test('a trusted workspace may allow and add folders: by option, by the configuration of the user, by the environment', async () => {
  expect(granted(await policyOf({ trustedWorkspaces: [project] }))).toEqual(everything())
  expect(granted(await policyOf({}, { SKILLCELL_TRUSTED_WORKSPACES: `/nowhere:${project}` }))).toEqual(everything())
  place.write(`${place.home}/.skillcell/config.yaml`, 'trustedWorkspaces: [../../workspace]\n')
  expect(granted(await policyOf({}))).toEqual(everything())
})

test('trust is in one folder by its real path: not in what lies below or above, and also through a link', async () => {
  mkdirSync(join(project, 'below'))
  symlinkSync(project, join(place.root, 'link'))
  const trusts = async (folder: string): Promise<boolean> => (await policyOf({ trustedWorkspaces: [folder] })).rules.allow.length > 0
  expect(await trusts(join(place.root, 'link'))).toBe(true)
  expect(await trusts(join(project, 'below'))).toBe(false)
  expect(await trusts(place.root)).toBe(false)
  expect(await trusts(join(place.root, 'absent'))).toBe(false)
})

test('a workspace cannot trust itself', async () => {
  place.write('.skillcell/config.yaml', 'trustedWorkspaces: [..]\n')
  await expect(policyOf({})).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/"trustedWorkspaces".*cannot trust itself/),
  })
})

test('--trust-workspace trusts the workspace of the call, and the configuration shows it', async () => {
  const flags = (...words: readonly string[]): RuntimeOptions => {
    const command = addCommonFlags(new Command())
    command.parse(words, { from: 'user' })
    return commonFlags(command).options
  }
  expect(flags('--cwd', project).trustedWorkspaces).toBeUndefined()
  expect(flags('--cwd', project, '--trust-workspace').trustedWorkspaces).toEqual([project])
  expect(flags('--trust-workspace').trustedWorkspaces).toEqual([process.cwd()])
  const { values } = await readConfiguration({ home: place.home, ...flags('--cwd', project, '--trust-workspace') }, {})
  expect(values.find(({ key }) => key === 'trustedWorkspaces')).toEqual({ key: 'trustedWorkspaces', value: [project], from: ['flag'] })
  expect(realpathSync(project)).toBe(project)
})
