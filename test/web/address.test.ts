import { expect, test } from 'vitest'
import { insideAddress } from '../../src/network-address.ts'
import { type AddressRules, addressOf, type CheckedAddress } from '../../src/web/address.ts'
import { requestPinned, webUrl } from '../../src/web/request.ts'
import { failing } from './support.ts'

const asked = (host: string, rules: AddressRules = {}): Promise<CheckedAddress> =>
  addressOf(host, { ...rules, connectTimeoutMs: 1_000, signal: new AbortController().signal })

test.each([
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.0.1', '169.254.0.1', '169.254.169.254'],
  ...[
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
  ],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...[
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '3fff::1',
    '100::1',
  ],
  ...['::ffff:127.0.0.1', '::127.0.0.1', '::ffff:0:7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1'],
  ...['2002:7f00:1::', '2002:a00:1::', '5f00::1', '4000::1', 'not an address', ''],
])('insideAddress() refuses %s', address => {
  expect(insideAddress(address)).toEqual(expect.any(String))
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
])('insideAddress() lets %s be reached', address => {
  expect(insideAddress(address)).toBeUndefined()
})

test.each(['172.32.0.0', '192.167.255.255', '192.169.0.0', '223.255.255.255', '2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8'])(
  'insideAddress() lets %s be reached too',
  address => {
    expect(insideAddress(address)).toBeUndefined()
  },
)

test.each([
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://127。0。0。1/',
])('an address written as %s is the address that it is', async url => {
  await expect(asked(webUrl(url).hostname)).rejects.toEqual(failing(/only public addresses/))
})

test('addressOf() refuses a name of which any address is not public, or that has none', async () => {
  const named = (...addresses: string[]) => asked('a.test', { resolveHost: async () => addresses })
  expect(await named('1.1.1.1', '2606:4700::1111')).toEqual({ address: '1.1.1.1', family: 4 })
  expect(await named('2606:4700::1111')).toEqual({ address: '2606:4700::1111', family: 6 })
  await expect(named('1.1.1.1', '10.0.0.1')).rejects.toEqual(failing(/private/))
  await expect(named('1.1.1.1', '::1')).rejects.toEqual(failing(/loopback/))
  await expect(named()).rejects.toEqual(failing(/no address/))
  const rejected = asked('a.test', { resolveHost: () => Promise.reject(new Error('ENOTFOUND')) })
  await expect(rejected).rejects.toEqual(failing(/cannot be resolved/))
})

test('addressOf() does not tell a model the addresses of a network that it cannot see', async () => {
  const error = await asked('intern.test', { resolveHost: async () => ['10.1.2.3'] }).catch((thrown: Error) => thrown)
  expect(String(error)).not.toContain('10.1.2.3')
})

test('an allowed address is that one, however it is written, and no other', async () => {
  const rules = { allowedAddresses: ['::1', '127.0.0.1'] }
  expect(await asked('[0:0:0:0:0:0:0:1]', rules)).toEqual({ address: '0:0:0:0:0:0:0:1', family: 6 })
  await expect(asked('127.0.0.2', rules)).rejects.toEqual(failing(/loopback/))
  await expect(asked('[::ffff:127.0.0.1]', rules)).rejects.toEqual(failing(/loopback/))
})

test.each([
  'file:///etc/passwd',
  'ftp://a.test/',
  'data:text/plain,x',
  'javascript:1',
  'a.test/x',
  '//a.test/x',
  '',
  'http://',
  'http://a b/',
])('webUrl(%j) is refused', url => {
  expect(() => webUrl(url)).toThrow(failing(/Cannot fetch/) as Error)
})

test('webUrl() refuses a user or password and does not repeat it', () => {
  for (const url of ['http://name:secret@a.test/', 'http://secret@a.test/', 'http://:secret@a.test/']) {
    expect(() => webUrl(url)).toThrow(/without/)
    expect(() => webUrl(url)).not.toThrow(/secret/)
  }
})

test('requestPinned() asks no name twice: the address that was checked is reached', async () => {
  const answers = [['1.1.1.1'], ['127.0.0.1']]
  let resolved = 0
  const controller = new AbortController()
  const resolveHost = async () => {
    resolved += 1
    // As soon as it has its answer it would connect: end it there, nothing is sent into the world.
    controller.abort(new Error('enough'))
    return answers.shift() ?? []
  }
  const request = { url: new URL('http://a.test/'), method: 'GET', headers: {}, maxBytes: 1, connectTimeoutMs: 1_000 } as const
  await expect(requestPinned({ ...request, resolveHost, signal: controller.signal })).rejects.toThrow('enough')
  expect(resolved).toBe(1)
})

test.each([
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:1::',
  '::ffff:0:127.0.0.1',
  'fec0::1',
  '100::1',
  '192.31.196.1',
  '2001:2::1',
  '2001:20::1',
])('insideAddress() says of %s what it is, in words', address => {
  expect(insideAddress(address)).toMatch(/^[a-z]/i)
  expect(insideAddress(address)).not.toMatch(/rfc\d|^6to4$|as112|orchid|[a-z][A-Z]|^\d/)
})
