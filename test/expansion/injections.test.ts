import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStructure } from '../../src/expansion/injections.ts'

const commandsOf = (body: string): string[] => readStructure(body).injections.map(({ command }) => command)
const fence = '```'

describe('readStructure() finds commands', () => {
  test.each<[string, string, string[]]>([
    ['inline after a blank', 'A !`one` B', ['one']],
    ['at the start', '!`one`', ['one']],
    ['at the start of a line', 'a\n!`one`\nb', ['one']],
    ['after a tab', 'a\t!`one`', ['one']],
    ['two on a line', '!`one` and !`two`', ['one', 'two']],
    ['over a line end, which is a blank', '!`one\ntwo`', ['one two']],
    ['one blank on each side belongs to the marks', '!` one `', ['one']],
    ['blank', 'A !` ` B', ['']],
    ['in a list item', '- !`one`', ['one']],
    ['in an ordered list item', '1. x\n2. !`one`', ['one']],
    ['in the second item, whatever ticks the first has', '1. a lone ` here\n2. !`one` and `x`', ['one']],
    ['in an ordered item after a bullet', '- a lone ` here\n7) !`one`', ['one']],
    ['in the item after an empty one', '> a lone ` here\n-\n  !`one`', ['one']],
    ['block in the second item of a tight list', `1. x\n2. ${fence}!\n   one\n   ${fence}`, ['one']],
    ['block in an item after a quote', `> x\n3. ${fence}!\n   one\n   ${fence}`, ['one']],
    ['in a line that is prose, though it begins as an item', 'We met in\n1998. !`one`', ['one']],
    ['in a quote, over its marks', '> a !`one\n> two`', ['one two']],
    ['in a heading', '## !`one`', ['one']],
    ['in a table', '| a | !`one` |', ['one']],
    ['in a lazy line of a quote', '> a\n!`one`', ['one']],
    ['after a comment on the same line', '<!-- c --> !`one`', ['one']],
    ['block', `${fence}!\none\ntwo\n${fence}`, ['one\ntwo']],
    ['block with blanks around the mark', `${fence} ! \none\n${fence}`, ['one']],
    ['block of tildes', '~~~!\none\n~~~', ['one']],
    ['longer block holding a shorter fence', `${fence}\`!\n${fence}\n${fence}\`\n`, [fence]],
    ['block in a list item', `- a\n\n  ${fence}!\n  one\n    two\n  ${fence}`, ['one\n  two']],
    ['block in a quote', `> ${fence}!\n> one\n> ${fence}`, ['one']],
    ['block indented by three', `   ${fence}!\n   one\n   ${fence}`, ['one']],
    ['block on one line', `${fence}! pwd${fence}`, ['pwd']],
    ['empty block', `${fence}!\n${fence}`, ['']],
    ['in a fence without info', `${fence}\n!\`one\`\n${fence}`, ['one']],
    ['in a fence of bash', `${fence}bash\nx: !\`one\`\n${fence}`, ['one']],
    ['in a tilde fence', '~~~\n!`one`\n~~~', ['one']],
  ])('%s', (_, body, wanted) => {
    expect(commandsOf(body)).toEqual(wanted)
  })
})

describe('readStructure() leaves as text', () => {
  test.each<[string, string]>([
    ['a mark at the end of a span', 'see `#REF!`: x, `#DIV/0!`: y'],
    ['a mark after a letter', 'x!`y`'],
    ['a mark after a bracket', '(!`y`)'],
    ['a mark after a full-width colon', '：!`y`'],
    ['a mark after a backslash', 'a \\!`y`'],
    ['an escaped backtick', 'a !\\`y`'],
    ['a longer span', 'a !``y``'],
    ['a span around it', '`` !`y` ``'],
    ['the closing backtick of a span', 'a `if !` b `c`'],
    ['the end of a span and a later one', 'Use `.gitignore !`-rules (e.g., `vendor/`)'],
    ['a span over a blank line', '!`a\n\nb`'],
    ['a span over the end of a quote', '> !`a\n\nb`'],
    ['a span over a heading', '!`a\n# b`'],
    ['a span over a list item', '- !`a\n- b`'],
    ['a span over an item of an ordered list', '1. !`a\n2. b`'],
    ['indented code behind an empty line of a quote', '>\n    !`y`'],
    ['indented code behind an empty line of a quote in a quote', '> >   \n    !`y`'],
    ['indented code behind an empty line of a quote after a list', '- x\n> >\n    !`y`'],
    ['a lone mark', 'a !`'],
    ['an info string that goes on', `${fence}! bash\nx\n${fence}`],
    ['an info string that is glued', `${fence}!bash\nx\n${fence}`],
    ['a block inside a longer fence', `${fence}\`\n${fence}!\nx\n${fence}\n${fence}\``],
    ['a block inside a tilde fence', `~~~\n${fence}!\nx\n${fence}\n~~~`],
    ['a block on one line with more text', `${fence}! pwd${fence} is it`],
    ['a block on one line inside a fence', `~~~\n${fence}! pwd${fence}\n~~~`],
    ['a span over a blank line in a fence', '~~~\n!`a\n\nb`\n~~~'],
  ])('%s', (_, body) => {
    expect(commandsOf(body)).toEqual([])
  })
})

describe('readStructure() reports what does not run', () => {
  test.each<[string, string, 'note' | 'warning']>([
    ['a comment', '<!-- !`x` -->', 'note'],
    ['a comment of several lines and blank lines', '<!--\na\n\n!`x`\n\n-->', 'note'],
    ['a comment inside a paragraph', 'a <!-- !`x` --> b', 'note'],
    ['an unclosed comment', '<!-- a\n\n!`x`', 'note'],
    ['indented code', 'a\n\n    !`x`\n', 'warning'],
    ['a fence marked markdown', `${fence}markdown\n!\`x\`\n${fence}`, 'note'],
    ['a fence marked md', `${fence}MD\n!\`x\`\n${fence}`, 'note'],
    ['a fence marked mdx', `${fence}mdx title\n!\`x\`\n${fence}`, 'note'],
    ['an unclosed block', `${fence}!\nx`, 'warning'],
    ['a block indented too far, in a paragraph', `a\n    ${fence}!\n    one\n    two\n    ${fence}`, 'warning'],
    ['a block indented too far, in an item', `- a\n      ${fence}!\n      one\n      ${fence}`, 'warning'],
    ['a block whose list item ends', `- ${fence}!\n  x\nend\n`, 'warning'],
  ])('%s', (_, body, severity) => {
    const { injections, unrun } = readStructure(body)
    expect(injections).toEqual([])
    expect(unrun.map(each => each.severity)).toEqual([severity])
  })

  test.each<[string, string]>([
    ['a comment without a command', '<!-- x -->'],
    ['a fence of markdown without a command', `${fence}md\n\`x\`\n${fence}`],
    ['a longer span', '`` !`y` ``'],
  ])('and not %s', (_, body) => {
    expect(readStructure(body).unrun).toEqual([])
  })
})

test.each([
  ['a fence', `${fence}\nx\n${fence}`],
  ['an unclosed fence', '~~~'],
  ['a heading', '# x'],
  ['a comment', '<!-- x -->'],
  ['a line across', '---'],
  ['a paragraph', 'x'],
  ['an item', '- x'],
  ['more of it', '    x'],
])('readStructure() keeps indented code before %s', (_, next) => {
  const first = readStructure(`a\n\n    $1\n${next}\n`).code[0]
  expect(first).toMatchObject({ type: 'indented-code', language: '' })
  expect(first?.end).toBe(9 + (next.startsWith('    ') ? next.length + 1 : 0))
})

test('readStructure() takes an unclosed fence to the end', () => {
  expect(readStructure('a\n\n```bash\nb').code).toEqual([{ type: 'fence', start: 3, end: 12, language: 'bash' }])
})

test('readStructure() gives ranges in order that do not overlap, for any body', () => {
  const pieces = fc.constantFrom(
    '`',
    '``',
    '```',
    '!`',
    '!',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '1. ',
    '    ',
    '\t',
    '~~~',
    '<!--',
    '-->',
    'a',
    ' ',
    '\\',
    '#',
    '```!',
    'md',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), parts => {
      const body = parts.join('')
      const { code, injections } = readStructure(body)
      const ranges = [...code, ...injections].sort((a, b) => a.start - b.start)
      let from = 0
      for (const { start, end } of ranges) {
        expect(start).toBeGreaterThanOrEqual(from)
        expect(end).toBeGreaterThanOrEqual(start)
        from = end
      }
      expect(from).toBeLessThanOrEqual(body.length)
      for (const { start, command } of injections) {
        expect(body.slice(start)).toMatch(/^(?:!`|(?:`{3,}|~{3,})[ \t]*!)/)
        expect(command).toBe(command.trim() === '' ? '' : command)
      }
    }),
    { numRuns: 3_000 },
  )
})

test('readStructure() is linear: twenty times the text takes about twenty times as long', () => {
  const units = ['a``b```c ', '> ', '`', '!`a` ', '<!--', '- ', '```!\n', '\\`', '<!-- !`x`\n\n', '1. a\n   ', '\t', '~~~\n', '```! a', "'"]
  for (const unit of units) {
    const body = unit.repeat(Math.ceil(25_000 / unit.length))
    // Generous: a quadratic scan takes 400 times as long.
    expect(timeOf(body.repeat(20)), JSON.stringify(unit)).toBeLessThan(Math.max(1_000, timeOf(body) * 150))
  }
})

test('readStructure() is linear in blank lines under many containers', () => {
  const small = timeOf(`${'- '.repeat(12_500)}a${'\n'.repeat(25_000)}`)
  expect(timeOf(`${'- '.repeat(250_000)}a${'\n'.repeat(500_000)}`)).toBeLessThan(Math.max(2_000, small * 150))
})

function timeOf(body: string): number {
  const start = performance.now()
  readStructure(body)
  return performance.now() - start
}
