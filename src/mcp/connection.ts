// One server: connected when it is first needed, asked within a time limit, asked again when it says that its list has changed. What it
// answers is checked item by item, so that one bad prompt does not hide the others.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, McpError, PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import { schemaProblem } from '../schema-problem.ts'
import { untilAborted } from '../until-aborted.ts'
import { promptText } from './prompt-text.ts'

export interface ListedPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

interface PromptList {
  readonly prompts: readonly ListedPrompt[]
  readonly problems: readonly string[]
}

export interface Connection {
  /** @throws {Error} when the server is down, too slow or speaks another language */
  list(): Promise<PromptList>
  /** @throws {Error} */
  render(name: string, values: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string>
  close(): Promise<void>
}

interface ConnectionOptions {
  /** Called for each connection anew; `problem` says why one ended, if it knows. */
  readonly open: (signal: AbortSignal) => Transport & { readonly problem?: () => string }
  /** To connect and list, and to get one prompt. */
  readonly timeoutMs: number
  /** A server that failed is left alone for so long. */
  readonly retryMs: number
}

const maxPages = 50
const maxPrompts = 1_000

const page = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().max(4_096).optional() })
const listed = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z.array(z.looseObject({ name: z.string().min(1), required: z.boolean().optional() })).optional(),
})
const rendered = z.looseObject({ messages: z.array(z.unknown()).max(1_000) })

export function createConnection({ open, timeoutMs, retryMs }: ConnectionOptions): Connection {
  const closing = new AbortController()
  let client: Promise<Client> | undefined
  let problemOf: () => string = () => ''
  let list: Promise<PromptList> | undefined
  let failed: { readonly error: Error; readonly at: number } | undefined
  let isStale = false

  // The library has a time limit of its own for each message; the one here is over all of them and comes first.
  const limit = (signal?: AbortSignal): AbortSignal =>
    AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const forget = (): void => {
    client = undefined
    list = undefined
  }
  const connect = async (signal: AbortSignal): Promise<Client> => {
    const connected = new Client({ name: 'skillcell', version: '1' }, { capabilities: {} })
    const transport = open(closing.signal)
    problemOf = () => transport.problem?.() ?? ''
    connected.onerror = () => undefined
    connected.setNotificationHandler(PromptListChangedNotificationSchema, () => {
      isStale = true
    })
    try {
      await connected.connect(transport, { signal, timeout: 2 * timeoutMs })
    } catch (error) {
      await transport.close().catch(() => undefined)
      throw error
    }
    // It may end at any time: the next question connects again.
    connected.onclose = forget
    return connected
  }
  const connected = (signal: AbortSignal): Promise<Client> => {
    closing.signal.throwIfAborted()
    client ??= connect(signal).catch(error => {
      client = undefined
      throw error
    })
    return client
  }
  /** Turns every failure into a sentence. */
  const told = async <T>(work: (signal: AbortSignal) => Promise<T>, caller?: AbortSignal): Promise<T> => {
    const signal = limit(caller)
    try {
      // A transport that hangs in its start knows no signal.
      return await untilAborted(work(signal), signal)
    } catch (cause) {
      caller?.throwIfAborted()
      const isLate = signal.aborted && !closing.signal.aborted
      if (isLate) forgetAndClose()
      const said = isLate ? `it did not answer within ${timeoutMs} ms` : messageOf(cause)
      const problem = problemOf()
      const isClosed = cause instanceof McpError && cause.code === ErrorCode.ConnectionClosed
      // Why it closed says more than that it did.
      throw new Error(problem !== '' && (isClosed || problem.startsWith(said)) ? problem : [said, problem].filter(Boolean).join('; '), {
        cause,
      })
    }
  }
  const forgetAndClose = (): void => {
    void client?.then(each => each.close()).catch(() => undefined)
    forget()
  }

  const listNow = (): Promise<PromptList> =>
    told(async signal => {
      isStale = false
      return readAllPages(await connected(signal), signal, timeoutMs)
    })
  return {
    list: () => {
      if (failed !== undefined && performance.now() - failed.at < retryMs) return Promise.reject(failed.error)
      if (list === undefined || isStale) {
        const asked = listNow()
        list = asked
        asked.then(
          () => {
            failed = undefined
          },
          (error: Error) => {
            failed = { error, at: performance.now() }
            if (list === asked) list = undefined
          },
        )
      }
      return list
    },
    render: (name, values, signal) =>
      told(async limited => {
        const params = { name, arguments: { ...values } }
        const answer = await (await connected(limited)).request({ method: 'prompts/get', params }, rendered, {
          signal: limited,
          timeout: 2 * timeoutMs,
        })
        return promptText(answer.messages)
      }, signal),
    close: async () => {
      closing.abort(new Error('the connection is closed'))
      await (await client?.catch(() => undefined))?.close().catch(() => undefined)
      client = undefined
    },
  }
}

async function readAllPages(client: Client, signal: AbortSignal, timeoutMs: number): Promise<PromptList> {
  const prompts: ListedPrompt[] = []
  const problems: string[] = []
  if (client.getServerCapabilities()?.prompts === undefined) return { prompts, problems }
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let count = 1; ; count++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'prompts/list', params }, page, { signal, timeout: 2 * timeoutMs })
    for (const each of answer.prompts) {
      if (prompts.length >= maxPrompts)
        return { prompts, problems: [...problems, `it lists more than ${maxPrompts} prompts, and the rest is left out`] }
      const parsed = listed.safeParse(each)
      if (parsed.success) prompts.push(promptOf(parsed.data))
      else if (problems.length < 20) problems.push(`a prompt that it lists cannot be read: ${schemaProblem(parsed.error)}`)
    }
    cursor = answer.nextCursor
    if (cursor === undefined) return { prompts, problems }
    if (cursors.has(cursor) || count >= maxPages)
      return { prompts, problems: [...problems, 'its pages have no end, and the rest is left out'] }
    cursors.add(cursor)
  }
}

function promptOf({ name, title, description, arguments: declared = [] }: z.infer<typeof listed>): ListedPrompt {
  const unique = new Map(declared.map(each => [each.name, { name: each.name, required: each.required ?? false }]))
  return { name, ...(title !== undefined && { title }), ...(description !== undefined && { description }), arguments: [...unique.values()] }
}
