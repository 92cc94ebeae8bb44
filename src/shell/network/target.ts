// What a request to the proxy asks for, read strictly: of two readings none is taken (SPEC R6.2). Pure.

import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { shorten } from '../../cut-text.ts'
import { canonicalHost, isPort, splitPort } from '../../network-hosts.ts'

export interface Target {
  /** Canonical: a name or an address without brackets. */
  readonly host: string
  readonly port: number
}

export interface PlainTarget extends Target {
  /** As sent: what a server makes of dots and percent signs is its own affair. */
  readonly path: string
}

/** `CONNECT host:port`. @returns what is wrong, for people, if it is none. */
export function connectTarget(authority: string): Target | string {
  const target = authorityOf(authority)
  return target ?? `CONNECT needs host:port, and this is ${quoted(authority)}`
}

/** `GET http://host/path`. @returns what is wrong, for people. */
export function plainTarget(request: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'headers'>): PlainTarget | string {
  const url = request.url ?? ''
  const [, scheme, authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i.exec(url) ?? []
  if (scheme === undefined) return `this is a proxy: a request names the whole address, and this one is ${quoted(url)}`
  if (scheme.toLowerCase() !== 'http')
    return `"${scheme}:" does not go through a plain request: https needs CONNECT, and there is only http beside it`
  const target = authorityOf(authority, 80)
  if (target === undefined) return `${quoted(url)} has no usable host: userinfo, percent signs and blanks are not taken`
  const hostProblem = hostHeaderProblem(request.rawHeaders, target)
  if (hostProblem !== undefined) return hostProblem
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') return 'the only transfer coding is "chunked"'
  return { ...target, path: rest.startsWith('/') ? rest : `/${rest}` }
}

/** `host:port` as in a Host header; an address of version 6 in brackets. */
export function authorityText({ host, port }: Target, usualPort?: number): string {
  const shown = isIPv6(host) ? `[${host}]` : host
  return port === usualPort ? shown : `${shown}:${port}`
}

/** Names and values, which Node gives in one row. */
export function headerPairs(rawHeaders: readonly string[]): (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : []))
}

function authorityOf(text: string, usualPort?: number): Target | undefined {
  const parts = splitPort(text)
  if (parts === undefined || isIPv6(text)) return undefined
  const host = canonicalHost(parts.host)
  const port = parts.port === undefined ? usualPort : Number(parts.port)
  return host === undefined || port === undefined || !isPort(port) ? undefined : { host, port }
}

/** A server that believes the header must not see another host than the one that was decided. */
function hostHeaderProblem(rawHeaders: readonly string[], target: Target): string | undefined {
  const hosts = headerPairs(rawHeaders).flatMap(([name, value]) => (name.toLowerCase() === 'host' ? [value] : []))
  const [given] = hosts
  if (hosts.length !== 1 || given === undefined) return `a request has one Host header, and this one has ${hosts.length}`
  const named = authorityOf(given.trim(), 80)
  if (named?.host === target.host && named.port === target.port) return undefined
  return `the Host header ${quoted(given)} is not the host of the address, "${authorityText(target, 80)}"`
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 200))
}
