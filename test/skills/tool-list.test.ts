import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillGrant } from '../../src/skills/grants.ts'
import { parseToolList, toolOfRule } from '../../src/skills/tool-list.ts'

describe('parseToolList()', () => {
  const rows: readonly (readonly [string, readonly string[], number])[] = [
    // text, rules, malformed
    ['', [], 0],
    [' , ,', [], 0],
    ['Read, Grep Glob', ['Read', 'Grep', 'Glob'], 0],
    ['Read,Grep\n- x', ['Read', 'Grep', 'x'], 1],
    ['Bash(git log --format=%h,%s *), Read', ['Bash(git log --format=%h,%s *)', 'Read'], 0],
    ["Bash(awk '{print $1}'), Read", ["Bash(awk '{print $1}')", 'Read'], 0],
    ['Bash(echo ")"), Read', ['Bash(echo ")")', 'Read'], 0],
    ['Bash(a (b) c) Read', ['Bash(a (b) c)', 'Read'], 0],
    ["Bash(echo don't), Read", ["Bash(echo don't)", 'Read'], 0],
    ['Bash(a)Read', ['Bash(a)', 'Read'], 0],
    ['"Bash(a *)", \'Read\'', ['Bash(a *)', 'Read'], 0],
    ['run_shell(ls), read_file', ['Bash(ls)', 'Read'], 0],
    ['mcp__a__b, Skill:x', ['mcp__a__b', 'Skill:x'], 0],
    // What does not close never becomes its bare tool.
    ['Bash (git *)', ['Bash(git *)'], 0],
    ['Bash(git commit -m "a', [], 1],
    ['Bash(git add, Read', [], 1],
    ['b")', [], 1],
    ['constructor, __proto__', ['constructor', '__proto__'], 0],
  ]
  test.each(rows)('reads %j', (text, rules, malformed) => {
    const list = parseToolList(text)
    expect([list.rules, list.malformed.length]).toEqual([rules, malformed])
  })

  test('never grants a bare tool that the text gives only with brackets', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', ',', '(', ')', '"', "'", '\\', '*', '\n') }), inside => {
        expect(parseToolList(`Bash(${inside}`).rules).not.toContain('Bash')
        expect(parseToolList(`Bash (${inside})`).rules).not.toContain('Bash')
      }),
    )
  })
})

test('toolOfRule() gives the name before the bracket or colon', () => {
  expect(['Bash(ls)', 'Skill:a:*', 'Read'].map(toolOfRule)).toEqual(['Bash', 'Skill', 'Read'])
})

describe('fillGrant()', () => {
  const folders = { skillDir: '/s/*', projectDir: '/p' }
  test('fills folders as literal pieces', () => {
    expect(fillGrant('Bash(${CLAUDE_SKILL_DIR}/x.sh *)', folders)).toEqual({
      text: 'Bash(/s/*/x.sh *)',
      pieces: ['Bash(', { literal: '/s/*' }, '/x.sh *)'],
    })
    expect(fillGrant('Read(${WAVE_PROJECT_DIR}/${SKILLCELL_SKILL_DIR})', folders)).toMatchObject({
      pieces: ['Read(', { literal: '/p' }, '/', { literal: '/s/*' }, ')'],
    })
  })
  test('names a placeholder without a value', () => {
    expect(fillGrant('Bash(${CLAUDE_PLUGIN_ROOT}/x)', folders)).toEqual({ unfilled: '${CLAUDE_PLUGIN_ROOT}' })
    expect(fillGrant('Bash(x ${CLAUDE_SESSION_ID})', folders)).toEqual({ unfilled: '${CLAUDE_SESSION_ID}' })
  })
  test('leaves shell text alone', () => {
    for (const rule of ['Bash(echo ${HOME} $1)', 'Bash(cat "${ARGUMENTS_FILE}")', 'Bash(${CLAUDE_PLUGIN_ROOT:-.}/x)']) {
      expect(fillGrant(rule, folders)).toEqual({ text: rule, pieces: [rule] })
    }
  })
})
