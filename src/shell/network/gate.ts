// Decides where a command may connect to: the list first, then every address that the name has. Promises that the addresses it gives are the
// ones that were checked, so that a second answer of the name server changes nothing (DNS rebinding). Leaves to others: connecting to them.

import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { insideAddress } from '../../network-address.ts'
import { canonicalHost, isListedHost, type NetworkHost } from '../../network-hosts.ts'
import { authorityText, type Target } from './target.ts'

export type Verdict =
  | { readonly type: 'allowed'; readonly addresses: readonly string[] }
  /** `detail` is for the host of the runtime only: it may name an address of the inside. */
  | { readonly type: 'refused'; readonly reason: string; readonly detail?: string }
  | { readonly type: 'not-found'; readonly reason: string }

/** All addresses of a name; rejects or gives none where it has none. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>

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
