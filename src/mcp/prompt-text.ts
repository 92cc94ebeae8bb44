// The answer of a server to `prompts/get` → one text. What is no text is named and left out; who speaks is told only where it is not
// the user alone.

import { z } from 'zod'

const content = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.enum(['image', 'audio']), mimeType: z.string().optional() }),
  z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: z.string(), text: z.string().optional() }) }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string() }),
])
const message = z.looseObject({ role: z.enum(['user', 'assistant']), content: z.unknown() })

/** @throws {Error} when it holds no text at all */
export function promptText(messages: readonly unknown[]): string {
  const spoken = messages.map(each => {
    const parsed = message.safeParse(each)
    return parsed.success
      ? { role: parsed.data.role, text: textOf(parsed.data.content) }
      : { role: 'user', text: '[a message that cannot be read was left out]' }
  })
  if (!spoken.some(({ text }) => text.trim() !== '')) throw new Error('it gave an empty prompt')
  const isAlone = spoken.every(({ role }) => role === 'user')
  return spoken.map(({ role, text }) => (isAlone ? text : `${role === 'user' ? 'User' : 'Assistant'}: ${text}`)).join('\n\n')
}

function textOf(given: unknown): string {
  const parsed = content.safeParse(given)
  if (!parsed.success) return '[content of an unknown kind was left out]'
  const { data } = parsed
  if (data.type === 'text') return data.text
  if (data.type === 'resource') return data.resource.text ?? `[the resource ${data.resource.uri} was left out: it is no text]`
  if (data.type === 'resource_link') return `[resource: ${data.uri}]`
  return `[${data.type} content was left out]`
}
