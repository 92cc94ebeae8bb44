import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toListEntry } from '../../src/skills/list-entry.ts'
import { listingForModel } from '../../src/skills/listing.ts'
import type { Skill } from '../../src/skills/skill.ts'
import { parseSlash, parseStackedSlash } from '../../src/skills/slash.ts'

function skill(id: string, more: Partial<Skill> = {}): Skill {
  return {
    id,
    kind: 'skill',
    aliases: [],
    source: 'project',
    path: `/p/${id}/SKILL.md`,
    realPath: `/p/${id}/SKILL.md`,
    baseDir: `/p/${id}`,
    description: 'd',
    argumentNames: [],
    context: 'inline',
    shell: 'bash',
    allowedTools: [],
    disallowedTools: [],
    paths: [],
    userInvocable: true,
    modelInvocable: true,
    commandsEnabled: true,
    extra: {},
    ...more,
  }
}

describe('parseSlash()', () => {
  test.each([
    ['/a', 'a', ''],
    ['  /a  b  c \n', 'a', 'b  c'],
    ['/a\tb', 'a', 'b'],
    ['/a\nb\nc', 'a', 'b\nc'],
    ['/plug:a x', 'plug:a', 'x'],
    ['/a /b x', 'a', '/b x'],
  ])('%j', (text, name, args) => expect(parseSlash(text)).toEqual({ name, args }))
  test.each(['', '/', '/ a', 'a /b', ' x'])('%j is no call', text => expect(parseSlash(text)).toBeUndefined())
})

describe('parseStackedSlash()', () => {
  const isStackable = (name: string) => name !== 'fork'
  test.each([
    ['/a /b text', ['a', 'b'], 'text'],
    ['/a text /b', ['a'], 'text /b'],
    ['/a /fork x', ['a'], '/fork x'],
    ['/fork /a x', ['fork'], '/a x'],
    ['/1 /2 /3 /4 /5 /6 /7 x', ['1', '2', '3', '4', '5', '6'], '/7 x'],
  ])('%j', (text, names, args) => expect(parseStackedSlash(text, isStackable)).toEqual({ names, args }))
})

describe('listingForModel()', () => {
  test('has the wording that hosts read', () => {
    const { text } = listingForModel([skill('a', { whenToUse: 'asked' }), skill('b', { userInvocable: false, description: '' })], 8000)
    expect(text).toBe(
      [
        '# Available Skills\n\nUser-invocable skills (user types /<name> to invoke):\n- **/a**: d\n  When to use: asked',
        'Auto-invocable skills (use the skill tool when appropriate):\n- **b**',
        'To invoke a skill programmatically, use the `skill` tool.',
      ].join('\n\n'),
    )
  })

  test('is empty when there is nothing for a model', () => {
    const hidden = [
      skill('a', { modelInvocable: false }),
      skill('b', { paths: ['*.rs'] }),
      skill('c', { shadowedBy: '/x' }),
      skill('d', { kind: 'agent' }),
    ]
    expect(listingForModel(hidden, 8000)).toEqual({ entries: [], text: '' })
  })

  test('escapes text and takes hidden characters out', () => {
    const { text } = listingForModel([skill('a', { description: '<b>&\n# x\u0007\u202e\u{e0041}y' })], 8000)
    expect(text).toContain('- **/a**: &lt;b&gt;&amp; # xy\n')
  })

  test('cuts at the budget: one over it, at it', () => {
    const skills = [skill('a', { description: 'x'.repeat(100) }), skill('b', { description: 'short' })]
    const whole = listingForModel(skills, 8000).text.length
    expect(listingForModel(skills, whole).entries.map(entry => entry.shown)).toEqual(['full', 'full'])
    const cut = listingForModel(skills, whole - 1)
    expect(cut.entries.map(entry => entry.shown)).toEqual(['short', 'full'])
    expect(cut.text.length).toBe(whole - 1)
  })

  test('gives names only when less than 20 characters are left for each', () => {
    const skills = Array.from({ length: 10 }, (_, index) => skill(`s${index}`, { description: 'x'.repeat(100) }))
    const names = listingForModel(
      skills.map(each => ({ ...each, description: '' })),
      8000,
    ).text.length
    expect(new Set(listingForModel(skills, names + 10 * 22).entries.map(entry => entry.shown))).toEqual(new Set(['short']))
    expect(new Set(listingForModel(skills, names + 10 * 22 - 1).entries.map(entry => entry.shown))).toEqual(new Set(['name']))
  })

  test('keeps bundled descriptions while they fit', () => {
    const skills = [skill('a', { description: 'x'.repeat(3000) }), skill('b', { source: 'bundled', description: 'y'.repeat(300) })]
    expect(listingForModel(skills, 800).entries.map(entry => entry.shown)).toEqual(['short', 'full'])
    expect(listingForModel(skills, 300).entries.map(entry => entry.shown)).toEqual(['name', 'name'])
  })

  test('never drops a name, and keeps to any budget that the names leave', () => {
    const entry = fc.record({
      description: fc.string({ unit: 'binary', maxLength: 80 }),
      bundled: fc.boolean(),
      when: fc.option(fc.string({ maxLength: 50 })),
    })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), fc.nat(2000), (entries, budget) => {
        const skills = entries.map(({ description, bundled, when }, index) =>
          skill(`s${index}`, { description, source: bundled ? 'bundled' : 'user', whenToUse: when ?? undefined }),
        )
        const { text } = listingForModel(skills, budget)
        for (const { id } of skills) expect(text).toContain(`**/${id}**`)
        const names = listingForModel(
          skills.map(each => ({ ...each, description: '', whenToUse: undefined })),
          100_000,
        ).text.length
        expect(text.length).toBeLessThanOrEqual(Math.max(budget, names))
        expect(() => encodeURIComponent(text)).not.toThrow()
      }),
    )
  })
})

test('toListEntry() tells rules as texts and leaves out what is not there', () => {
  const entry = toListEntry(
    skill('a', { displayName: 'A b', allowedTools: [{ text: 'Read(/x)', pieces: ['Read(', { literal: '/x' }, ')'] }] }),
    'short',
  )
  expect(entry).toEqual({
    id: 'a',
    name: 'A b',
    description: 'd',
    source: 'project',
    path: '/p/a/SKILL.md',
    userInvocable: true,
    modelInvocable: true,
    context: 'inline',
    allowedTools: ['Read(/x)'],
    disallowedTools: [],
    shown: 'short',
  })
  expect(Object.keys(toListEntry(skill('a')))).not.toContain('effort')
})
