// Which addresses are somebody's inside and not the public network: private, loopback, link-local, this machine's own (SPEC R6.2, R17.13).
// Pure but for a look at the interfaces of this machine. What is not known to be public is inside.

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
