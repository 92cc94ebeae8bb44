import { expect, test } from 'vitest'
import { shownProviders, shownServers } from '../../src/config-secrets.ts'

const args = (...words: readonly string[]): readonly string[] => {
  const { s } = shownServers({ s: { command: 'run', args: words } })
  return s && 'command' in s ? (s.args ?? []) : []
}

test.each<[given: readonly string[], shown: readonly string[]]>([
  [
    ['-y', '@scope/server@1.2.3', '--verbose'],
    ['-y', '@scope/server@1.2.3', '--verbose'],
  ],
  [
    ['/srv/project', './data', 'dist/server.js'],
    ['/srv/project', './data', 'dist/server.js'],
  ],
  [['--token=abc'], ['--token=(set)']],
  [['--anything=abc'], ['--anything=(set)']],
  [['TOKEN=abc'], ['TOKEN=(set)']],
  [
    ['-e', 'GITHUB_TOKEN=abc'],
    ['-e', 'GITHUB_TOKEN=(set)'],
  ],
  [
    ['--api-key', 'abc', 'more'],
    ['--api-key', '(set)', 'more'],
  ],
  [
    ['--api-key', '-abc', 'more'],
    ['--api-key', '(set)', 'more'],
  ],
  [
    ['--no-auth', '--more'],
    ['--no-auth', '--more'],
  ],
  [
    ['-c', 'run --token abc'],
    ['-c', '(set)'],
  ],
  [['{"token":"abc"}'], ['(set)']],
  [
    ['-H', 'abc'],
    ['-H', '(set)'],
  ],
  [['-pabc'], ['-p(set)']],
  [
    ['--header', 'Authorization: Bearer abc'],
    ['--header', '(set)'],
  ],
  [['X-Key: abc'], ['X-Key: (set)']],
  [['postgres://ann:pw@host/db?sslkey=abc#x'], ['postgres://(set)@host/db?sslkey=(set)#(set)']],
  [['sk-abc'], ['(set)']],
  [['0123456789abcdef0123'], ['(set)']],
])('shownServers() shows the words %j as %j', (given, shown) => {
  expect(args(...given)).toEqual(shown)
})

test('shownServers() shows names of variables and headers, no value', () => {
  expect(
    shownServers({
      a: { command: 'run', env: { HOME: '/x', KEY: 'v' } },
      b: { url: 'https://ann:pw@host.test:8080/mcp?key=v&key=w', headers: { Authorization: 'Bearer v' } },
      c: { url: 'https://host.test/' },
    }),
  ).toEqual({
    a: { command: 'run', env: { HOME: '(set)', KEY: '(set)' } },
    b: { url: 'https://(set)@host.test:8080/mcp?key=(set)&key=(set)', headers: { Authorization: '(set)' } },
    c: { url: 'https://host.test/' },
  })
})

test('shownProviders() shows the place of an address', () => {
  expect(
    shownProviders({
      anthropic: { apiKey: 'k', baseUrl: 'https://u:p@proxy.test/v1?token=t' },
      openai: { baseUrl: 'http://127.0.0.1:1/' },
    }),
  ).toEqual({
    anthropic: { apiKey: '(set)', baseUrl: 'https://(set)@proxy.test/v1?token=(set)' },
    openai: { baseUrl: 'http://127.0.0.1:1/' },
  })
})
