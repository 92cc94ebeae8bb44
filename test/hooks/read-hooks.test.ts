// The `hooks` of a frontmatter: what is read, what is told, and what restricts the skill.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hookEventNames } from '../../src/hooks/hook.ts'
import { readHooks } from '../../src/hooks/read-hooks.ts'
import { checkRule } from '../../src/policy/rule.ts'

const options = { checkRule }
const handler = (given: object, event = 'PreToolUse'): object => ({ [event]: [{ hooks: [given] }] })

test('readHooks() reads every field of both types', () => {
  const read = readHooks(
    {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            { type: 'command', command: './guard.sh', timeout: 1.5, once: true, if: 'Bash(rm *)', statusMessage: 'Looking', shell: 'sh' },
            { command: 'plain' },
          ],
        },
      ],
      Stop: [{ hooks: [{ type: 'http', url: 'https://example.com/h', headers: { 'X-Key': 'k' } }] }],
      SessionEnd: null,
    },
    options,
  )
  expect(read).toEqual({
    isWhole: true,
    problems: [],
    handlers: [
      {
        type: 'command',
        event: 'PreToolUse',
        matcher: 'Bash',
        command: './guard.sh',
        shell: 'sh',
        timeoutMs: 1_500,
        once: true,
        if: 'Bash(rm *)',
        statusMessage: 'Looking',
      },
      { type: 'command', event: 'PreToolUse', matcher: 'Bash', command: 'plain', shell: 'bash', once: false },
      { type: 'http', event: 'Stop', matcher: '', url: 'https://example.com/h', headers: { 'X-Key': 'k' }, once: false },
    ],
  })
})

test('readHooks() takes each event there is', () => {
  expect(hookEventNames.length).toBe(9)
  for (const event of hookEventNames) {
    const { handlers, problems } = readHooks(handler({ command: 'x' }, event), options)
    expect([handlers.length, problems]).toEqual([1, []])
  }
})

test('readHooks() has nothing to say of no hooks', () => {
  for (const none of [undefined, null, {}, { Stop: [] }])
    expect(readHooks(none, options)).toEqual({ handlers: [], problems: [], isWhole: true })
})

// Each line: what is written, whether the skill stays whole, how many handlers are left, and a word of the one problem.
test.each<[why: string, hooks: unknown, isWhole: boolean, handlers: number, word: string]>([
  ['no map', [], false, 0, 'map of events'],
  ['a text', 'hooks.json', false, 0, 'map of events'],
  ['a misspelt event', handler({ command: 'x' }, 'PreToolUze'), false, 0, 'PreToolUse'],
  ['an inherited name', handler({ command: 'x' }, 'constructor'), false, 0, 'constructor'],
  ['an event of other hosts', handler({ command: 'x' }, 'Notification'), true, 0, 'never happens here'],
  ['groups no list', { Stop: {} }, false, 0, 'list'],
  ['a group no map', { Stop: ['x'] }, false, 0, 'hooks.Stop[0]'],
  ['a group without hooks', { Stop: [{ command: 'x' }] }, false, 0, 'list "hooks"'],
  ['a key of a group', { Stop: [{ hooks: [{ command: 'x' }], matchers: 'Bash' }] }, true, 1, 'matchers'],
  ['a matcher no text', { PreToolUse: [{ matcher: 1, hooks: [{ command: 'x' }] }] }, false, 1, 'matcher'],
  ['a matcher no pattern', { PreToolUse: [{ matcher: '(', hooks: [{ command: 'x' }] }] }, false, 1, 'matcher'],
  ['a matcher of a server', { PreToolUse: [{ matcher: 'mcp__a', hooks: [{ command: 'x' }] }] }, true, 1, 'mcp__a__.*'],
  ['a matcher without effect', { Stop: [{ matcher: 'Bash', hooks: [{ command: 'x' }] }] }, true, 1, 'no effect'],
  ['a handler no map', { Stop: [{ hooks: ['x'] }] }, false, 0, 'hooks.Stop[0].hooks[0]'],
  ['an unknown type', handler({ type: 'shell', command: 'x' }), false, 0, 'command, http'],
  ['a type of other hosts where it guards', handler({ type: 'prompt', prompt: 'x' }), false, 0, 'command, http'],
  ['a type of other hosts elsewhere', handler({ type: 'agent', prompt: 'x' }, 'Stop'), true, 0, 'command, http'],
  ['no command', handler({}), false, 0, 'command'],
  ['a blank command', handler({ command: ' ' }), false, 0, 'command'],
  ['a NUL in a command', handler({ command: 'a\0' }), false, 0, 'NUL'],
  ['a shell that is not there', handler({ command: 'x', shell: 'powershell' }), false, 0, 'bash and sh'],
  ['arguments that are no list', handler({ command: 'x', args: 'y' }), false, 0, 'args'],
  ['a key without effect', handler({ command: 'x', tiemout: 3 }), true, 1, 'tiemout'],
  ['beside the event', handler({ command: 'x', async: true }), true, 1, 'waits'],
  ['a timeout of 0', handler({ command: 'x', timeout: 0 }), true, 1, 'timeout'],
  ['a timeout as text', handler({ command: 'x', timeout: '5s' }), true, 1, 'timeout'],
  ['once as text', handler({ command: 'x', once: 'yes' }), true, 1, 'once'],
  ['a rule no rule', handler({ command: 'x', if: 'Bash(' }), true, 1, 'without it'],
  ['a rule no text', handler({ command: 'x', if: ['Bash'] }), true, 1, 'without it'],
  ['a rule where no tool is', handler({ command: 'x', if: 'Bash' }, 'Stop'), true, 1, 'never runs'],
  ['a rule where no tool is and a guard', handler({ command: 'x', if: 'Bash' }, 'UserPromptExpansion'), false, 1, 'never runs'],
  ['no address', handler({ type: 'http' }), false, 0, 'url'],
  ['an address that is none', handler({ type: 'http', url: 'hook' }), false, 0, 'no address'],
  ['an address of another kind', handler({ type: 'http', url: 'file:///etc/passwd' }), false, 0, 'http'],
  ['a password in an address', handler({ type: 'http', url: 'https://a:b@example.com' }), false, 0, 'header'],
  ['headers no map', handler({ type: 'http', url: 'https://example.com', headers: ['a'] }), false, 0, 'headers'],
  ['a header on two lines', handler({ type: 'http', url: 'https://example.com', headers: { a: 'b\r\nc: d' } }), false, 0, 'headers'],
  ['a header of the request itself', handler({ type: 'http', url: 'https://example.com', headers: { Host: 'x' } }), false, 0, 'Host'],
])('readHooks() tells of %s', (_, hooks, isWhole, handlers, word) => {
  const read = readHooks(hooks, options)
  expect(read.problems.map(problem => problem.message)).toEqual([expect.stringContaining(word)])
  expect([read.isWhole, read.handlers.length]).toEqual([isWhole, handlers])
})

test('readHooks() keeps a guard whose matcher, rule or time cannot be read, and it guards more', () => {
  const { handlers } = readHooks(
    { PreToolUse: [{ matcher: '(', hooks: [{ command: 'x', if: 'Nope(', timeout: -1, once: 'maybe' }] }] },
    options,
  )
  expect(handlers).toEqual([{ type: 'command', event: 'PreToolUse', matcher: '', command: 'x', shell: 'bash', once: false }])
})

test('readHooks() keeps the neighbours of a handler that cannot be read', () => {
  const read = readHooks(
    { Nope: [], PreToolUse: [{ hooks: [{ command: 'a' }, {}, { command: 'b' }] }], Stop: [{ hooks: [{ command: 'c' }] }] },
    options,
  )
  expect([read.handlers.length, read.problems.length, read.isWhole]).toEqual([3, 2, false])
})

test.each<[args: readonly string[], command: string]>([
  [[], `'guard'`],
  [['a b', "it's", '$(x)', ''], `'guard' 'a b' 'it'\\''s' '$(x)' ''`],
  [['--root=${CLAUDE_PROJECT_DIR}/x y'], `'guard' '--root='"\${CLAUDE_PROJECT_DIR}"'/x y'`],
])('readHooks() makes words of the arguments %j', (args, command) => {
  expect(readHooks(handler({ command: 'guard', args }), options).handlers).toEqual([expect.objectContaining({ command })])
})

test('readHooks() keeps its limits: one under, at, one over', () => {
  const many = (count: number): boolean =>
    readHooks({ Stop: [{ hooks: Array.from({ length: count }, () => ({ command: 'x' })) }] }, options).isWhole
  expect([63, 64, 65].map(many)).toEqual([true, true, false])
  const long = (length: number): boolean => readHooks(handler({ command: 'x'.repeat(length) }), options).isWhole
  expect([9_999, 10_000, 10_001].map(long)).toEqual([true, true, false])
  const told = (count: number): number =>
    readHooks(Object.fromEntries(Array.from({ length: count }, (_, at) => [`E${at}`, []])), options).problems.length
  expect([49, 50, 51, 500].map(told)).toEqual([49, 50, 51, 51])
})

test('readHooks() takes any value without a throw, and whatever is lost is told', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...hookEventNames, 'Nope', '__proto__'), fc.jsonValue()), hooks => {
      const { handlers, problems } = readHooks(hooks, options)
      for (const [event, groups] of Object.entries(hooks)) {
        const isEmpty = groups === null || (Array.isArray(groups) && groups.length === 0)
        const isRead = handlers.some(each => each.event === event)
        if (event === 'Nope' || event === '__proto__' || !(isEmpty || isRead)) expect(problems.length).toBeGreaterThan(0)
      }
    }),
  )
})

test.each([
  ['PreToolUse', 'write', 1],
  ['PostToolUse', 'Write', 0],
  ['SubagentStart', 'Bahs', 0],
])('readHooks() of %s with the matcher %j gives %i hints, which restrict nothing', (event, matcher, count) => {
  const { problems, isWhole, handlers } = readHooks({ [event]: [{ matcher, hooks: [{ command: 'x' }] }] }, { checkRule: () => undefined })
  expect([problems.length, isWhole, handlers.length]).toEqual([count, true, 1])
})
