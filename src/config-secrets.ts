// Options as they may be shown: names stay, and values that can be a secret are told as set. Pure. It errs to hiding: what is shown may be
// pasted into a ticket.

import type { ModelProvider, ModelProviders } from './options.ts'
import type { McpServer } from './source-options.ts'

const hidden = '(set)'

export function shownProviders(providers: ModelProviders): ModelProviders {
  const { anthropic, openai } = providers
  return { ...(anthropic && { anthropic: shownProvider(anthropic) }), ...(openai && { openai: shownProvider(openai) }) }
}

function shownProvider({ baseUrl, apiKey }: ModelProvider): ModelProvider {
  return { ...(baseUrl !== undefined && { baseUrl: shownAddress(baseUrl) }), ...(apiKey !== undefined && { apiKey: hidden }) }
}

export function shownServers(servers: Readonly<Record<string, McpServer>>): Readonly<Record<string, McpServer>> {
  return mapValues(servers, server =>
    'command' in server
      ? {
          ...server,
          ...(server.args && { args: shownWords(server.args) }),
          ...(server.env && { env: mapValues(server.env, () => hidden) }),
        }
      : { ...server, url: shownAddress(server.url), ...(server.headers && { headers: mapValues(server.headers, () => hidden) }) },
  )
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/** An address without its user and password, and with the names of its parameters only. */
function shownAddress(text: string): string {
  if (!URL.canParse(text)) return hidden
  const url = new URL(text)
  const user = url.username !== '' || url.password !== '' ? `${hidden}@` : ''
  const query = [...url.searchParams.keys()].map(name => `${encodeURIComponent(name)}=${hidden}`).join('&')
  return `${url.protocol}//${user}${url.host}${url.pathname}${query === '' ? '' : `?${query}`}${url.hash === '' ? '' : `#${hidden}`}`
}

/** Words of a command line: what an option is set to, and what looks like a secret by itself. */
function shownWords(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? ''
    // The value of `--api-key` or `-H`; what follows an option that names no secret is shown.
    if (secretOption.test(before) && !word.startsWith('--')) return hidden
    return shownWord(word)
  })
}

const secretOption =
  /^-(?:[HpPukt]|-?[\w.-]*(?:token|secret|passw|passphrase|key|auth|credential|cookie|bearer|header|session|user|pat|jwt|dsn|connection)[\w.-]*)$/i

function shownWord(word: string): string {
  // `--token=x`, `TOKEN=x`, `Authorization: Bearer x`.
  const [, name, sign] = /^(-{0,2}[\w.-]+)(=|:\s)./s.exec(word) ?? []
  if (name !== undefined) return `${name}${sign}${hidden}`
  if (/^[a-z][\w+.-]*:\/\//i.test(word)) return shownAddress(word)
  // The short forms that are glued together: `-Hx-key: y`, `-psecret`.
  if (/^-[HpPu]./.test(word)) return `${word.slice(0, 2)}${hidden}`
  // JSON, or a whole command line.
  return looksSecret(word) || /[\s{"']/.test(word) ? hidden : word
}

/** Keys of known makers, and long words of letters and digits that are no path, no package and no version. */
function looksSecret(word: string): boolean {
  if (/^(?:sk-|pk-|rk_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|ya29\.|eyJ|npm_|hf_)/.test(word)) return true
  return /^[\w+=.-]{20,}$/.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word)
}
