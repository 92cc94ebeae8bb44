// Values reach the shell byte for byte, whatever they hold and however long they are, and are never shell text.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testBroker as brokerOf, entriesOf, sandboxes, type TestOptions } from './support.ts'

const shells = ['bash', 'sh'] as const
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map(text => text.replaceAll('\0', '')),
  fc
    .array(
      fc.constantFrom(
        '$(touch pwned)',
        '`touch pwned`',
        "'",
        '"',
        '\\',
        '\n',
        ';',
        '&',
        '|',
        '*',
        ' ',
        '\t',
        '\u0001',
        '\u007f',
        '-n',
        '$1',
        'x',
      ),
      { maxLength: 8 },
    )
    .map(parts => parts.join('')),
)

describe.each(sandboxes)('sandbox %s', sandbox => {
  const testBroker = (options: TestOptions = {}) => brokerOf({ sandbox, ...options })

  test.each(shells)('run() gives any parameter and variable to %s byte for byte', async shell => {
    const { run, cwd } = testBroker({ limits: { maxOutputChars: 1_000_000 } })
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 4 }), value, async (parameters, variable) => {
        const { output } = await run(`printf '<%s>' "$@" "$v"; printf .`, { shell, parameters, variables: { v: variable } })
        expect(output).toBe(`${[...parameters, variable].map(text => `<${text}>`).join('')}.`)
      }),
      { numRuns: 60 },
    )
    expect(entriesOf(cwd)).toEqual([])
  })

  test.each(shells)('run() gives parameters and variables of any length to %s', async shell => {
    const { run, state } = testBroker({ limits: { maxOutputChars: 10_000_000 } })
    for (const length of [99_990, 99_991, 100_001, 131_072, 2_500_000]) {
      const long = `${'é'.repeat(length / 2)}'$(touch pwned)\n\n`
      const { output, exitCode } = await run(`printf '%s|%s|%s|%s' "$0" "$#" "$2" "$v"; env | grep -c __skillcell`, {
        shell,
        parameters: ['', long],
        variables: { v: long },
        environment: { ARGUMENTS: 'a' },
      })
      expect(exitCode).toBe(1)
      expect(output === `${shell}|2|${long}|${long}0`).toBe(true)
    }
    expect(readdirSync(join(state, 'inputs'))).toEqual([])
  })

  test.each(shells)('run() takes a script of any length with %s', async shell => {
    const { run } = testBroker()
    const { output } = await run(`: ${'x'.repeat(3_000_000)}\necho "$0 $1 $LINENO"`, { shell, parameters: ['p'] })
    expect(output).toMatch(shell === 'bash' ? /^bash p 2$/ : /^sh p/)
  })

  test.each(['#', ')', '&&', ';', '-x', '--', '\n\n'])('run() takes a script that begins with %j as bash -c does', async start => {
    const { run } = testBroker()
    const plain = await run(`${start} echo a`)
    const withVariable = await run(`${start} echo a`, { variables: { v: '1' } })
    expect(withVariable).toMatchObject({ output: plain.output, exitCode: plain.exitCode })
  })

  test('run() gives the message of the shell for a syntax error, with the line of the script', async () => {
    const { run } = testBroker()
    for (const variables of [{}, { v: '1' }] as Record<string, string>[]) {
      const result = await run('echo one\necho (', { variables })
      expect(result).toMatchObject({ reason: 'exited', exitCode: 2, output: expect.stringMatching(/^one\nbash: -c: line 2: syntax error/) })
      expect(await run('echo (', { shell: 'sh', variables })).toMatchObject({ exitCode: 2, output: expect.stringContaining('yntax error') })
    }
  })

  test('run() refuses a NUL, which no shell can take', async () => {
    const { run } = testBroker()
    for (const request of [{ parameters: ['a\0b'] }, { variables: { v: '\0' } }, { environment: { ARGUMENTS: '\0' } }]) {
      await expect(run('echo', request)).rejects.toMatchObject({ code: 'SHELL_SPAWN_FAILED' })
    }
  })

  test('run() gives stdin as text, and an empty one where there is none', async () => {
    const { run } = testBroker()
    expect(await run('cat; echo .', { stdin: 'a\nb' })).toMatchObject({ output: 'a\nb.' })
    expect(await run('cat; echo .')).toMatchObject({ output: '.' })
    expect(await run('wc -c', { stdin: 'x'.repeat(3_000_000) })).toMatchObject({ output: '3000000' })
  })
})
