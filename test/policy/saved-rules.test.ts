import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSavedRules } from '../../src/policy/saved-rules.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skillcell-rules-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const invalid = expect.objectContaining({ code: 'POLICY_INVALID' })

describe('openSavedRules()', () => {
  test('keeps rules for one workspace, in a private folder', () => {
    const folder = join(root, 'rules')
    openSavedRules(folder, '/a').add('allow', ['Bash(ls *)', 'Bash(ls *)'])
    openSavedRules(folder, '/a').add('deny', ['Skill(x)'])
    const { allow, deny } = openSavedRules(folder, '/a')
    expect([allow, deny].map(rules => rules.map(({ text }) => text))).toEqual([['Bash(ls *)'], ['Skill(x)']])
    expect(openSavedRules(folder, '/b').allow).toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('saves nothing when one of the texts is no rule', () => {
    expect(() => openSavedRules(root, '/a').add('allow', ['Bash(ls *)', 'Bash('])).toThrow(invalid)
    expect(openSavedRules(root, '/a').allow).toEqual([])
  })

  test('believes nothing behind a link', () => {
    openSavedRules(join(root, 'theirs'), '/a').add('allow', ['Bash'])
    symlinkSync(join(root, 'theirs'), join(root, 'rules'))
    expect(() => openSavedRules(join(root, 'rules'), '/a')).toThrow(invalid)
  })

  test.runIf(process.getuid?.() === 0)('believes nothing in the folder of somebody else', () => {
    const folder = join(root, 'rules')
    mkdirSync(folder)
    openSavedRules(folder, '/a').add('allow', ['Bash'])
    chownSync(folder, 65_534, 65_534)
    expect(() => openSavedRules(folder, '/a')).toThrow(invalid)
    expect(() => openSavedRules(folder, '/b').add('allow', ['Bash'])).toThrow(invalid)
  })
})
