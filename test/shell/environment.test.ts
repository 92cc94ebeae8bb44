// What a command finds in its environment, and which names it is never given.

import { describe, expect, test } from 'vitest'
import { baseEnvironment, commandEnvironment } from '../../src/shell/environment.ts'
import { testBroker as brokerOf, sandboxes, type TestOptions } from './support.ts'

test('baseEnvironment() takes harmless names of the host alone', () => {
  const host = {
    HOME: '/h',
    LANG: 'de_DE.UTF-8',
    LC_ALL: 'C',
    TZ: 'UTC',
    API_KEY: 'k',
    BASH_ENV: '/x',
    ENV: '/x',
    LD_PRELOAD: '/x',
    'BASH_FUNC_ls%%': '() { :; }',
  }
  expect(baseEnvironment(host, '/t')).toEqual({
    HOME: '/h',
    LANG: 'de_DE.UTF-8',
    LC_ALL: 'C',
    TZ: 'UTC',
    TERM: 'dumb',
    TMPDIR: '/t',
    PATH: expect.stringContaining('/usr/bin:'),
  })
})

test.each([
  ['/a:/b', '/a:/b'],
  [':/a::.:bin:/b:', '/a:/b'],
  ['', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
])('baseEnvironment() makes PATH %j sane', (path, sane) => {
  expect(baseEnvironment({ PATH: path }, '/t').PATH).toBe(sane)
})

test.each(['PATH', 'LD_PRELOAD', 'BASH_ENV', 'GIT_DIR', 'IFS', 'HOME', 'name', 'BASH_FUNC_x%%', 'ARGUMENTSX', ''])(
  'commandEnvironment() refuses to export "%s"',
  name => {
    expect(() => commandEnvironment({}, { environment: { [name]: 'x' }, variables: {} }, 'm')).toThrow(
      expect.objectContaining({ code: 'SHELL_SPAWN_FAILED' }),
    )
  },
)

test.each([
  'PATH',
  'LD_LIBRARY_PATH',
  'BASH_ENV',
  'BASHOPTS',
  'SHELLOPTS',
  'GIT_SSH_COMMAND',
  'IFS',
  'PS4',
  'ENV',
  'a-b',
  '1a',
  'a[1]',
  '',
  'x\n',
  '__skillcell_value',
])('commandEnvironment() refuses the variable %j', name => {
  expect(() => commandEnvironment({}, { environment: {}, variables: { [name]: 'x' } }, 'm')).toThrow(
    expect.objectContaining({ code: 'SHELL_SPAWN_FAILED' }),
  )
})

test.each(['name', 'PATHS', 'COMPONENT', 'SHELLS', 'ENVIRONMENT', 'USER', '_x', 'a1', 'constructor'])(
  'commandEnvironment() takes the variable "%s"',
  name => {
    expect(() => commandEnvironment({}, { environment: {}, variables: { [name]: 'x' } }, 'm')).not.toThrow()
  },
)

describe.each(sandboxes)('sandbox %s', sandbox => {
  const testBroker = (options: TestOptions = {}) => brokerOf({ sandbox, ...options })

  test('run() reads no start-up file and takes over no function', async () => {
    const { run, cwd } = testBroker({
      env: {
        ...process.env,
        BASH_ENV: './evil',
        ENV: './evil',
        'BASH_FUNC_echo%%': '() { printf evil; }',
        SHELLOPTS: 'xtrace',
        PS4: '$(touch pwned)',
        SECRET: 's',
      },
    })
    for (const shell of ['bash', 'sh'] as const) {
      const { output, exitCode } = await run('printf "echo NOISE; touch pwned" >evil; echo run; ls; env', { shell, variables: { v: '1' } })
      expect(exitCode).toBe(0)
      expect(output).toMatch(/^run\nevil\n/)
      expect(output).not.toMatch(/NOISE|SECRET|BASH_ENV|^v=/m)
      expect(output).toContain('TERM=dumb')
    }
    expect(cwd).not.toBe('')
  })

  test('run() keeps a variable out of the environment, also where the host exports one of its name', async () => {
    const { run } = testBroker({ env: { ...process.env, USER: 'host' } })
    for (const shell of ['bash', 'sh'] as const) {
      expect(await run('echo "$USER"; env | grep USER', { shell, variables: { USER: 'skill' } })).toMatchObject({
        output: 'skill',
        exitCode: 1,
      })
    }
  })
})
