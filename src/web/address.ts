// Which addresses of the network a request of a model or a hook may reach: public ones. Decided on the address, never on the name, and
// the address that was decided is the one that is connected to (SPEC R17.13).

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { messageOf, SkillcellError } from '../errors.ts'
import { insideAddress, type ResolveHost, systemResolver } from '../network-address.ts'

export interface AddressRules {
  /** Addresses that may be reached though they are not public, as texts. */
  readonly allowedAddresses?: readonly string[]
  /** The name servers of the system unless given. */
  readonly resolveHost?: ResolveHost
}

export interface AddressQuestion extends AddressRules {
  /** For the name servers, too. */
  readonly connectTimeoutMs: number
  readonly signal: AbortSignal
}

export interface CheckedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/**
 * The address of a host, all of whose addresses may be reached.
 * @param host of a URL, an IPv6 address in brackets
 * @throws {SkillcellError} TOOL_FAILED
 */
export async function addressOf(
  host: string,
  { allowedAddresses = [], resolveHost, connectTimeoutMs, signal }: AddressQuestion,
): Promise<CheckedAddress> {
  const name = host.replace(/^\[|\]$/g, '')
  const addresses = isIP(name) !== 0 ? [name] : await resolve(name, resolveHost ?? systemResolver(connectTimeoutMs), signal)
  // One bad address among good ones is a trick, and which one is used would be a matter of luck.
  for (const address of addresses) {
    const problem = insideAddress(address)
    if (problem !== undefined && !isAllowed(address, allowedAddresses))
      throw new SkillcellError('TOOL_FAILED', `Cannot reach "${host}": its address is ${problem}; only public addresses are reached`)
  }
  const [address] = addresses
  if (address === undefined) throw new SkillcellError('TOOL_FAILED', `Cannot reach "${host}": the name has no address`)
  return { address, family: ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6 }
}

function isAllowed(address: string, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const normal = ipaddr.parse(address).toNormalizedString()
  return allowed.some(each => ipaddr.isValid(each) && ipaddr.parse(each).toNormalizedString() === normal)
}

async function resolve(name: string, resolveHost: ResolveHost, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await resolveHost(name, signal)
  } catch (cause) {
    throw new SkillcellError('TOOL_FAILED', `Cannot reach "${name}": the name cannot be resolved (${messageOf(cause)})`, { cause })
  }
}
