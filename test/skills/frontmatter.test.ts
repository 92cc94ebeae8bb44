import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/errors.ts'
import { parseFrontmatter } from '../../src/skills/frontmatter.ts'
import { interpretFields, parseBoolean } from '../../src/skills/frontmatter-fields.ts'

function read(block: string) {
  const frontmatter = parseFrontmatter(block, 2, '/s/SKILL.md')
  const diagnostics: Diagnostic[] = [...frontmatter.diagnostics]
  const fields = interpretFields(frontmatter.fields, { block, firstLine: 2, path: '/s/SKILL.md' }, diagnostics)
  return {
    ...fields,
    diagnostics,
    error: frontmatter.error,
    places: diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`),
  }
}

const closed = { modelInvocable: false, commandsEnabled: false, allowedRules: [] }

describe('a text field', () => {
  const rows: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    // source of the block, description, diagnostics
    ['description: plain', 'plain', []],
    ['description: "It\'s \\"q\\": \\u00e9 # all"', 'It\'s "q": é # all', []],
    ["description: 'it''s'", "it's", []],
    ['description: >-\n  a\n  b', 'a b', []],
    ['description: |\n  a\n  # b\n  c: d', 'a\n# b\nc: d', []],
    ['description: 1.50', '1.50', []],
    ['description: 2020-01-01', '2020-01-01', []],
    ['description: yes', 'yes', []],
    ['description:', undefined, []],
    ['description: ~', undefined, []],
    ['description: "a" # comment', 'a', []],
    ['description: a:b#c', 'a:b#c', []],
    ['description: two\n  lines', 'two lines', []],
    ['description: !important rule', '!important rule', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: &imp do x', '&imp do x', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: *imp', '*imp', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: **bold** x', '**bold** x', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: fix #12 now', 'fix #12 now', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: two\n  lines #2', 'two lines #2', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: @bot x', '@bot x', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: `code` x', '`code` x', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: %TODO x', '%TODO x', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: {{NAME}}', '{{NAME}}', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: [draft] x', '[draft] x', ['FRONTMATTER_REPAIRED 2:14']],
    ["description: 'tis x", "'tis x", ['FRONTMATTER_REPAIRED 2:14']],
    ['description: use it: when', 'use it: when', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: Says "a": b # c', 'Says "a": b # c', ['FRONTMATTER_REPAIRED 2:14']],
    ['description: a\nand more', 'a and more', ['FRONTMATTER_REPAIRED 2:14']],
    ['license: MIT\ndescription: a: b', 'a: b', ['FRONTMATTER_REPAIRED 3:14']],
    ['description: first\ndescription: second', 'second', ['FIELD_DUPLICATE 3:14']],
    // Loose lines of an example are text, not keys.
    [
      'description: Use it\n<example>\nContext: one: two\nuser: hi\n</example>\nmodel: x',
      'Use it <example> Context: one: two user: hi </example>',
      ['FRONTMATTER_REPAIRED 2:14'],
    ],
  ]
  test.each(rows)('reads %j', (block, description, places) => {
    const result = read(block)
    expect([result.description, result.places, result.error]).toEqual([description, places, undefined])
  })

  test('keeps a comment out of names and flags', () => {
    expect(read('name: a # c\nmodel: m # c\nuser-invocable: false # c')).toMatchObject({
      displayName: 'a',
      model: 'm',
      userInvocable: false,
      diagnostics: [],
    })
  })

  test('has one meaning in three spellings', () => {
    for (const key of ['when_to_use', 'when-to-use', 'whenToUse']) expect(read(`${key}: x`).whenToUse).toBe('x')
    expect(read('Context: fork').context).toBe('inline')
  })
})

describe('argument-hint', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['[a] [b]', '[a] [b]'],
    ['[x] | --flag # y', '[x] | --flag # y'],
    ['"[issue]"', '[issue]'],
    ['{', '{'],
    ['<a> "b"', '<a> "b"'],
    ['>-\n  a\n  b', 'a b'],
    ['', undefined],
  ]
  test.each(rows)('%j is its text and never a fault', (source, hint) => {
    const result = read(`name: n\nargument-hint: ${source}\nmodel: m`)
    expect(result).toMatchObject({ displayName: 'n', model: 'm', diagnostics: [] })
    expect(result.argumentHint).toBe(hint)
  })
})

describe('a list field', () => {
  test.each([
    ['allowed-tools: Read, Bash(git log --format="%h, %s")', ['Read', 'Bash(git log --format="%h, %s")'], 0],
    ["allowed-tools: [Read, 'Bash(a, b)']", ['Read', 'Bash(a, b)'], 0],
    ['allowed-tools:\n  - Read, Grep\n  - Bash(a *)', ['Read', 'Grep', 'Bash(a *)'], 0],
    ['allowed-tools: >-\n  Read,\n  Grep', ['Read', 'Grep'], 0],
    ['allowed-tools: []', [], 0],
    ['allowed-tools: Bash(git: *), Read', ['Bash(git: *)', 'Read'], 1],
    ['allowed-tools: [Bash(git commit -m "a, b"), Read]', ['Read'], 2],
    ['allowed-tools: {Bash: yes}', [], 1],
    ['allowed-tools:\n  - Read\n  - {Bash: yes}', ['Read'], 1],
    ['allowed-tools: &a [Bash(x)]', [], 4],
  ])('%j grants what can be read', (block, rules, diagnostics) => {
    const result = read(block)
    expect([result.allowedRules, result.diagnostics.length, result.commandsEnabled]).toEqual([rules, diagnostics, true])
  })

  test.each([
    ['paths: "*.rs,Cargo.toml"', ['*.rs', 'Cargo.toml']],
    ['paths: src/*.{ts,tsx}, a b/**', ['src/*.{ts,tsx}', 'a b/**']],
    ['paths: *.rs', ['*.rs']],
    ['paths:\n  - **/*.json\n  - "b"', ['**/*.json', 'b']],
    ['paths:\n  - *.{ts,tsx}\n  - b', ['*.{ts,tsx}', 'b']],
  ])('%j is patterns', (block, paths) => {
    expect(read(block).paths).toEqual(paths)
  })

  test.each([
    ['arguments: a b', ['a', 'b'], 0],
    ['arguments: [a, b]', ['a', 'b'], 0],
    ['arguments:\n  - name: a\n    required: true\n  - b', ['a', 'b'], 0],
    ['arguments: [PATH, LD_PRELOAD, GIT_DIR, ok, "x y", 1a]', ['ok', 'x', 'y'], 4],
    ['arguments: {a: b}', [], 1],
  ])('%j is names', (block, names, diagnostics) => {
    const result = read(block)
    expect([result.argumentNames, result.diagnostics.length]).toEqual([names, diagnostics])
  })
})

test('parseBoolean() takes eight words in any case', () => {
  expect(['true', 'Yes', 'ON', '1'].map(parseBoolean)).toEqual([true, true, true, true])
  expect(['false', 'No', 'OFF', '0'].map(parseBoolean)).toEqual([false, false, false, false])
  expect(['', 'maybe', '2', 'truee'].map(parseBoolean)).toEqual([undefined, undefined, undefined, undefined])
})

describe('a restricting field that cannot be read', () => {
  test.each([
    'hooks: {PreToolUse: [',
    'hooks: [a]',
    'hooks: &h {Stop: []}',
    'disable-model-invocation: {',
    'disable-model-invocation: [true]',
    'disable-model-invocation: maybe',
    'disable-model-invocation:',
    'disable-model-invocation: !!bool false',
    'user-invocable: {a: b}',
    'disallowed-tools: {Bash: yes}',
    'disallowed-tools: Bash(rm',
    'shell: [bash]',
    'context: {fork',
    'context: forked',
  ])('%j turns off the model, the grants and the commands', line => {
    const result = read(`name: n\ndescription: d\n${line}\nallowed-tools: Bash(touch *)`)
    expect(result).toMatchObject(closed)
    expect(result.diagnostics).toContainEqual(expect.objectContaining({ code: 'FIELD_UNREADABLE', severity: 'error', line: 4 }))
  })

  test('has a near neighbour that can', () => {
    for (const line of [
      'hooks: {Stop: []}',
      'hooks:',
      'disable-model-invocation: off',
      'disallowed-tools: []',
      'shell: fish',
      'context: FORK',
    ]) {
      expect(read(`${line}\nallowed-tools: Read`)).toMatchObject({ modelInvocable: true, commandsEnabled: true, allowedRules: ['Read'] })
    }
  })

  test('given twice keeps what forbids', () => {
    expect(read('disable-model-invocation: true\ndisableModelInvocation: false').modelInvocable).toBe(false)
    expect(read('user-invocable: false\nuser_invocable: true').userInvocable).toBe(false)
    expect(read('disallowed-tools: Bash\ndisallowedTools: Read').disallowedTools).toEqual(['Bash', 'Read'])
  })

  test('that is not known to be on stays off', () => {
    expect(read('user-invocable: maybe').userInvocable).toBe(false)
  })
})

describe('a block that cannot be used', () => {
  test.each(['- name: x', 'just a text', '[a, b]', '"name"', '- a\n- b: c: d'])('%j is an error with the line shown', block => {
    const { error } = read(block)
    expect(error).toMatchObject({ code: 'FRONTMATTER_UNREADABLE', severity: 'error', line: 2, path: '/s/SKILL.md' })
    expect(error?.message).toContain(`  2 | ${block.split('\n')[0]}`)
    expect(error?.message).toContain('^')
  })
})
