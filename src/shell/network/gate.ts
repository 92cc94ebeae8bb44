// Decides where a command may connect to: the list first, then every address that the name has. Promises that the addresses it gives are the
// ones that were checked, so that a second answer of the name server changes nothing (DNS rebinding). Leaves to others: connecting to them.

import { isIP } from 'node:net'
import { insideAddress, type ResolveHost } from '../../network-address.ts'
import { canonicalHost, isListedHost, type NetworkHost } from '../../network-hosts.ts'
import { authorityText, type Target } from './target.ts'

export type Verdict =
  | { readonly type: 'allowed'; readonly addresses: readonly string[] }
  /** `detail` is for the host of the runtime only: it may name an address of the inside. */
  | { readonly type: 'refused'; readonly reason: string; readonly detail?: string }
  | { readonly type: 'not-found'; readonly reason: string }

export async function decideTarget(
  target: Target,
  hosts: readonly NetworkHost[],
  resolveHost: ResolveHost,
  signal: AbortSignal,
): Promise<Verdict> {
  const { host, port } = target
  if (!isListedHost(hosts, host, port)) return { type: 'refused', reason: `networkHosts does not list "${authorityText(target)}"` }
  // An address is listed as such, whatever it is.
  if (isIP(host) !== 0) return { type: 'allowed', addresses: [host] }
  const addresses = await resolveHost(host, signal).catch(() => [])
  if (addresses.length === 0) return { type: 'not-found', reason: `Cannot find the address of "${host}"` }
  // One that is not public spoils all: nobody who means well mixes them.
  for (const address of addresses) {
    const what = insideAddress(address)
    if (what === undefined || isListedHost(hosts, canonicalHost(address) ?? address, port)) continue
    return {
      type: 'refused',
      reason: `"${host}" leads to an address that is ${what}; networkHosts has to list that address too`,
      detail: address,
    }
  }
  return { type: 'allowed', addresses }
}
