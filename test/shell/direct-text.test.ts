// Texts that a POSIX shell is given in place of bash: random ones, with real shells as oracles.

import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCommandText } from '../../src/shell/command-text.ts'
import { quoted } from '../../src/shell/shell-host.ts'
import { findSystemPrograms } from '../../src/shell/system-programs.ts'
import { commandRequest, hosts } from './support.ts'

test('what both shells take alike they do take alike', () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_./:@%+,=^!{}~-]{1,4}$/),
    fc.stringMatching(/^'[^'\0\r]{0,5}'$/),
    fc.stringMatching(/^"(?:[ -!#%-[\]-_a-~]|\\[ -~]|\$[1-3]|\$\{x\}|\$id){0,5}"$/),
    fc.constant('"$@"'),
    fc.stringMatching(/^\\[!-~]$/),
  )
  const words = fc.array(fc.array(piece, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  const variables = { x: 'a "b" $c', id: '*' }
  const someParameters = fc.subarray(["one '1'", 'two\\n', ''])
  let taken = 0
  fc.assert(
    fc.property(words, someParameters, (list, parameters) => {
      const script = `/usr/bin/printf <%s> ${list.map(parts => parts.join('')).join(' ')}`.replace('<%s>', "'<%s>'")
      const { direct, programs } = readCommandText(commandRequest(script, { cwd: '/', variables }))
      const paths = direct && findSystemPrograms(programs, '/usr/bin')
      if (direct === undefined || paths === undefined) return
      taken += 1
      const set = `${Object.entries(variables)
        .map(([name, value]) => `${name}=${quoted(value)}`)
        .join('; ')}; `
      const expected = spawnSync('bash', ['-c', set + script, 'bash', ...parameters], { env: {} })
      for (const shell of hosts) {
        const result = spawnSync(shell, ['-c', set + direct.render(name => paths.get(name) ?? ''), 'sh', ...parameters], {
          argv0: 'sh',
          env: {},
        })
        expect([script, result.status, result.stdout.toString()]).toEqual([script, expected.status, expected.stdout.toString()])
      }
    }),
    { numRuns: 150 },
  )
  expect(taken).toBeGreaterThan(20)
})
