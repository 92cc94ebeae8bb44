// Which addresses a name has, and which of them are somebody's inside and not the public network: private, loopback, link-local, this
// machine's own (SPEC R6.2, R17.13). What is not known to be public is inside. Leaves to others: what may be reached all the same.

import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** What an address is that a name may not lead to, such as `private` or `loopback`; undefined for a public one. */
export function insideAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'not an address'
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  // `unicast` is what no table names. Addresses that hold an IPv4 address (6to4, NAT64, Teredo) have names of their own there.
  if (range !== 'unicast') return rangeNames[range] ?? range
  // Others of IPv6 are not given out; forms that carry an IPv4 address inside are among them.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(ipaddr.IPv6.parse('2000::'), 3)) return 'not in the public range 2000::/3'
  const plain = parsed.toString()
  if (platformAddresses.includes(plain)) return 'of the cloud platform'
  return ownAddresses().includes(plain) ? 'of this machine' : undefined
}

const rangeNames: Readonly<Record<string, string>> = {
  linkLocal: 'link-local',
  uniqueLocal: 'private',
  carrierGradeNat: 'shared by a provider',
  unspecified: 'of this machine',
  ipv4Mapped: 'an IPv4 address in the form of IPv6',
  rfc6145: 'an IPv4 address in the form of IPv6',
  rfc6052: 'an IPv4 address behind a translator (NAT64)',
  '6to4': 'an IPv4 address inside IPv6 (6to4)',
  teredo: 'an IPv4 address inside IPv6 (Teredo)',
  deprecatedSiteLocal: 'private',
  benchmarking: 'for benchmarks',
  discard: 'one that nobody has',
  amt: 'of a relay for multicast',
  as112: 'of a server for names that nobody has',
  as112v6: 'of a server for names that nobody has',
  deprecatedOrchid: 'a name of a host and no place',
  orchid2: 'a name of a host and no place',
  droneRemoteIdProtocolEntityTags: 'a name of a drone and no place',
}

// Public by number, yet a service of the machine's own platform (metadata, agents).
const platformAddresses: readonly string[] = ['168.63.129.16']

/** A service that listens on all interfaces is reached by the public address of the machine, too. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap(each => each ?? [])
    .map(({ address }) => address.replace(/%.*$/, ''))
    .filter(address => ipaddr.isValid(address))
    .map(address => ipaddr.process(address).toString())
}

/** All addresses of a name; rejects or gives none where it has none. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Asks the name servers of the system. Not getaddrinfo: that one blocks a thread of the pool which all file access of the process shares, as
 * long as a slow name server likes; so /etc/hosts does not count.
 * @param servers instead of those of the system
 */
export function systemResolver(timeoutMs: number, servers?: readonly string[]): ResolveHost {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.throwIfAborted()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}
