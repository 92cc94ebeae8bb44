// The hosts that commands may reach, as a person lists them: `host`, `host:port`, `*.example.com` (SPEC R6.2). Pure.
// One reading for the list and for what is asked for, so that another spelling is never another host. Leaves to others: names → addresses.

import { isIP, isIPv6 } from 'node:net'

export interface NetworkHost {
  /** Canonical; of a wildcard what stands behind `*.`. */
  readonly host: string
  /** Everything below it, and not the host itself. */
  readonly below: boolean
  readonly ports: readonly number[]
}

const defaultPorts: readonly number[] = [80, 443]
const wanted = 'write "host", "host:port", "*.example.com" or an address'

/** @returns the entry, or what is wrong with it, for people. */
export function parseNetworkHost(entry: string): NetworkHost | string {
  const parts = splitPort(entry)
  if (parts === undefined) return `"${entry}" is no host: ${wanted}`
  const ports = parts.port === undefined ? defaultPorts : [Number(parts.port)]
  if (ports.some(port => !isPort(port))) return `"${entry}" has no usable port: it is 1 to 65535`
  const below = parts.host.startsWith('*.')
  const name = below ? parts.host.slice(2) : parts.host
  const host = canonicalHost(name)
  if (host === undefined) return `"${entry}" is no host: ${wanted}`
  if (isIP(host) === 4 && host !== name) return `"${entry}" is an address in another notation: write "${host}"`
  if (host === '0.0.0.0' || host === '::') return `"${entry}" is no address that one can connect to; list each host`
  if (host === 'localhost' || host.endsWith('.localhost')) {
    const instead = parts.port === undefined ? '127.0.0.1' : `127.0.0.1:${parts.port}`
    return `"${entry}" is no name that name servers know, and /etc/hosts is not read: write "${instead}", and let the command ask for that`
  }
  if (!below && isIP(host) === 0 && !host.includes('.'))
    return `"${entry}" is a name without a dot: name servers do not know it, and /etc/hosts is not read; write its full name or its address`
  if (below && (isIP(host) !== 0 || !host.includes('.'))) return `"${entry}" is too wide: at least two labels stand behind "*."`
  return { host, below, ports }
}

/** Whether the list names it. @param host canonical, a name or an address */
export function isListedHost(hosts: readonly NetworkHost[], host: string, port: number): boolean {
  return hosts.some(
    listed => listed.ports.includes(port) && (listed.below ? isIP(host) === 0 && host.endsWith(`.${listed.host}`) : host === listed.host),
  )
}

/**
 * The one spelling of a host: lower case, punycode, no trailing dot, no brackets; an address in its plain form (`0x7f.1` is `127.0.0.1`, and
 * so is `::ffff:7f00:1`). Undefined for what is no host; userinfo and percent forms are none.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.length > 255 || /[\s/?#@\\%\0-\x20\x7f]/.test(text)) return undefined
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  const address = bracketed ?? text
  if (bracketed !== undefined || address.includes(':')) return isIPv6(address) ? plainAddress(hostnameOf(`[${address}]`)) : undefined
  const host = hostnameOf(text)?.replace(/\.$/, '')
  if (host === undefined || host.length > 253) return undefined
  return host.split('.').every(label => /^[a-z0-9_-]{1,63}$/.test(label)) ? host : undefined
}

/** `host:port` as it stands in a list or in a request; undefined where brackets or colons are in the wrong place. */
export function splitPort(text: string): { readonly host: string; readonly port?: string } | undefined {
  if (isIPv6(text)) return { host: text }
  const [, host, port] = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  return host === undefined ? undefined : { host, ...(port === undefined ? {} : { port }) }
}

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

function hostnameOf(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname
  } catch {
    return undefined
  }
}

function plainAddress(bracketed: string | undefined): string | undefined {
  const address = bracketed?.slice(1, -1)
  // An IPv4 address inside IPv6 is that IPv4 address.
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address ?? '') ?? []
  if (high === undefined || low === undefined) return address
  return [high, low]
    .map(part => Number.parseInt(part, 16))
    .flatMap(part => [part >> 8, part & 255])
    .join('.')
}
