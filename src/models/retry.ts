// How long to wait before a failed call is tried again. Pure: the clock and the dice come in.

import type { ModelSettings } from './settings.ts'

/** The server's own wish where it gave one, else a random share of a doubling bound; in whole ms. `attempt` is the failed try, from 1. */
export function retryDelayMs(attempt: number, headers: Headers | undefined, now: number, settings: ModelSettings): number {
  const asked = headers === undefined ? undefined : retryAfterMs(headers, now)
  if (asked !== undefined) return Math.min(asked, settings.maxRetryAfterMs)
  const bound = Math.min(settings.maxBackoffMs, settings.backoffMs * 2 ** (attempt - 1))
  return Math.round(bound * settings.random())
}

/** `retry-after-ms`, or `retry-after` as seconds or as a date; undefined when absent or neither. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = headers.get('retry-after-ms')
  if (exact !== null && /^\d{1,12}(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact))
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000)
  // A date begins with the name of a day; Date.parse() alone would take "-5" for a year.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
