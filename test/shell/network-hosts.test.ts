// The list of hosts and the spellings of one host: what is listed, what is asked for, and which addresses are of the inside.

import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { insideAddress } from '../../src/network-address.ts'
import { canonicalHost, isListedHost, type NetworkHost, parseNetworkHost } from '../../src/network-hosts.ts'
import { parseOptions } from '../../src/options.ts'
import { prepareSetup } from '../../src/setup.ts'

test.each([
  ['example.com', 'example.com', false, [80, 443]],
  ['EXAMPLE.com', 'example.com', false, [80, 443]],
  ['example.com.', 'example.com', false, [80, 443]],
  ['example.com:8443', 'example.com', false, [8443]],
  ['*.example.com', 'example.com', true, [80, 443]],
  ['*.Example.com:1', 'example.com', true, [1]],
  ['*.a.b.example.com:65535', 'a.b.example.com', true, [65_535]],
  ['bücher.example', 'xn--bcher-kva.example', false, [80, 443]],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example', false, [80, 443]],
  ['my_host.example.com', 'my_host.example.com', false, [80, 443]],
  ['192.0.2.1', '192.0.2.1', false, [80, 443]],
  ['127.0.0.1:8080', '127.0.0.1', false, [8080]],
  ['::1', '::1', false, [80, 443]],
  ['[::1]', '::1', false, [80, 443]],
  ['[2001:DB8:0:0::1]:8080', '2001:db8::1', false, [8080]],
])('parseNetworkHost() reads %s', (entry, host, below, ports) => {
  expect(parseNetworkHost(entry)).toEqual({ host, below, ports })
})

test.each([
  [''],
  ['*'],
  ['*.'],
  ['*.com'],
  ['*.com.'],
  ['*.localhost:80'],
  ['localhost'],
  ['api.localhost'],
  ['LOCALHOST.:80'],
  ['database'],
  ['database:5432'],
  ['database.'],
  ['*.*.example.com'],
  ['a.*.example.com'],
  ['*example.com'],
  ['ex*mple.com'],
  ['.example.com'],
  ['example..com'],
  ['example.com..'],
  ['https://example.com'],
  ['example.com/path'],
  ['example.com?x'],
  ['user@example.com'],
  ['user:pass@example.com'],
  ['example.com:'],
  ['example.com:0'],
  ['example.com:65536'],
  ['example.com:http'],
  ['example.com:80:80'],
  ['exa%6dple.com'],
  ['example.com '],
  [' example.com'],
  ['example.com\n'],
  ['exa\u0000mple.com'],
  ['*.127.0.0.1'],
  ['*.0.0.1'],
  ['127.1'],
  ['::ffff:127.0.0.1'],
  ['0.0.0.0'],
  ['[::]:80'],
  ['2130706433'],
  ['0x7f000001'],
  ['0177.0.0.1'],
  ['10.0.0.0/8'],
  ['[::1'],
  ['::1]'],
  ['[127.0.0.1]'],
  ['[fe80::1%eth0]'],
  [`${'a'.repeat(64)}.com`],
  [`${'a.'.repeat(127)}com`],
])('parseNetworkHost() and the options refuse %j', entry => {
  expect(parseNetworkHost(entry)).toBeTypeOf('string')
  expect(() => parseOptions({ networkHosts: [entry] })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})

test.each([
  ['localhost', '"127.0.0.1"'],
  ['localhost:9911', '"127.0.0.1:9911"'],
  ['api.localhost:80', '"127.0.0.1:80"'],
  ['database:5432', '/etc/hosts is not read; write its full name or its address'],
])('parseNetworkHost() says what to write instead of %s', (entry, instead) => {
  expect(parseNetworkHost(entry)).toContain(instead)
})

test('prepareSetup() refuses an allowlist that lists nothing, and takes a list that is not in use', async () => {
  await expect(prepareSetup({ network: 'allowlist' }, {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await expect(prepareSetup({ network: 'allowlist', networkHosts: [] }, {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  expect(await prepareSetup({ network: 'allowlist', networkHosts: ['example.com'] }, {})).toMatchObject({ networkHosts: ['example.com'] })
  expect(await prepareSetup({ network: 'none', networkHosts: ['example.com'] }, {})).toMatchObject({ network: 'none' })
})

const listed = (...entries: string[]): NetworkHost[] =>
  entries.map(entry => {
    const host = parseNetworkHost(entry)
    if (typeof host === 'string') throw new Error(host)
    return host
  })

test.each([
  ['example.com', 'example.com', 443, true],
  ['example.com', 'example.com', 80, true],
  ['example.com', 'example.com', 8080, false],
  ['example.com:8080', 'example.com', 8080, true],
  ['example.com:8080', 'example.com', 443, false],
  ['example.com', 'www.example.com', 443, false],
  ['example.com', 'notexample.com', 443, false],
  ['example.com', 'example.com.evil.test', 443, false],
  ['*.example.com', 'a.example.com', 443, true],
  ['*.example.com', 'a.b.example.com', 443, true],
  ['*.example.com', 'example.com', 443, false],
  ['*.example.com', 'notexample.com', 443, false],
  ['*.example.com', 'a.example.com.evil.test', 443, false],
  ['*.example.com:8080', 'a.example.com', 443, false],
  ['127.0.0.1', '127.0.0.1', 80, true],
  ['127.0.0.1:8080', '127.0.0.1', 80, false],
  ['127.0.0.1', '127.0.0.2', 80, false],
  ['::1', '::1', 443, true],
])('isListedHost() %s names %s port %d: %s', (entry, host, port, expected) => {
  expect(isListedHost(listed(entry), host, port)).toBe(expected)
})

test.each([
  ['0x7f.1', '127.0.0.1'],
  ['0x7F000001', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['１２７.０.０.１', '127.0.0.1'],
  ['[::ffff:7f00:1]', '127.0.0.1'],
  ['[::ffff:127.0.0.1]', '127.0.0.1'],
  ['[0:0::0:1]', '::1'],
  ['Example。Com', 'example.com'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['256.0.0.1', undefined],
  ['1.2.3.4.5', undefined],
  ['0x', '0.0.0.0'],
  ['[::1', undefined],
  ['[::1%25lo]', undefined],
  ['a b', undefined],
  ['a@b', undefined],
  ['a\\b', undefined],
  ['a%2eb', undefined],
  ['a#b', undefined],
  ['xn--a', undefined],
])('canonicalHost() %s is %s', (text, expected) => {
  expect(canonicalHost(text)).toBe(expected)
})

test('canonicalHost() gives, for any text, something it gives again', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.domain(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6())
  fc.assert(
    fc.property(text, given => {
      const host = canonicalHost(given)
      if (host !== undefined) expect(canonicalHost(host)).toBe(host)
    }),
  )
})

describe('insideAddress()', () => {
  test.each([
    ['10.0.0.1'],
    ['172.16.0.1'],
    ['172.31.255.255'],
    ['192.168.1.1'],
    ['127.0.0.1'],
    ['127.255.255.254'],
    ['0.0.0.0'],
    ['0.1.2.3'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['192.0.0.1'],
    ['198.18.0.1'],
    ['224.0.0.1'],
    ['240.0.0.1'],
    ['255.255.255.255'],
    ['168.63.129.16'],
    ['::1'],
    ['::'],
    ['::127.0.0.1'],
    ['::ffff:10.0.0.1'],
    ['::ffff:0:10.0.0.1'],
    ['64:ff9b::a00:1'],
    ['64:ff9b:1::a00:1'],
    ['2002:a00:1::'],
    ['2001:0:a00:1::1'],
    ['fe80::1'],
    ['fe80::1%lo'],
    ['fec0::1'],
    ['fc00::1'],
    ['fd00:ec2::254'],
    ['ff02::1'],
    ['not an address'],
    [''],
  ])('%s is of the inside', address => {
    expect(insideAddress(address)).toBeTypeOf('string')
  })

  test.each([['1.1.1.1'], ['8.8.8.8'], ['172.15.0.1'], ['172.32.0.1'], ['192.167.1.1'], ['2606:4700:4700::1111'], ['::ffff:8.8.8.8']])(
    '%s is public',
    address => {
      expect(insideAddress(address)).toBeUndefined()
    },
  )

  test('each address of this machine is of the inside', () => {
    const own = Object.values(networkInterfaces()).flatMap(each => each ?? [])
    expect(own.length).toBeGreaterThan(0)
    for (const { address } of own) expect(insideAddress(address)).toBeTypeOf('string')
  })
})
