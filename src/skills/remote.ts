// Prompts of servers as skills `mcp__server__prompt` (SPEC R1.3, R16.6). All that a server says is text of a stranger: names are checked,
// texts cut and cleaned. Such a skill has no file, no folder, no grants, no hooks, and its text is final: nothing in it is filled or run.

import { createHash } from 'node:crypto'
import { cutText, wellFormed } from '../cut-text.ts'
import { type Diagnostic, messageOf, SkillcellError } from '../errors.ts'
import { noFolder } from './bundled.ts'
import { cleanLine } from './listing.ts'
import { compareBytes, nearNames } from './names.ts'
import { unreadable } from './read-file.ts'
import type { LoadedSkill, Skill } from './skill.ts'
import { maxDescriptionChars } from './skill-file.ts'

/** As a server lists it. */
export interface RemotePrompt {
  readonly server: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

/** Whoever speaks with servers. */
export interface RemoteSource {
  /** Never throws: a server that is down or lies is a diagnostic. */
  list(): Promise<{ readonly prompts: readonly RemotePrompt[]; readonly diagnostics: readonly Diagnostic[] }>
  /** The text of a prompt. @throws {Error} when the server has none */
  render(server: string, name: string, values: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string>
}

/** What an invocation gives: a prompt of a server is rendered with it. */
export interface LoadInput {
  readonly argumentsText: string
  readonly signal?: AbortSignal
}

export interface RemoteSkills {
  list(): Promise<{ readonly skills: readonly Skill[]; readonly diagnostics: readonly Diagnostic[] }>
  /** @throws {SkillcellError} SKILL_NOT_FOUND with near names */
  find(id: string): Promise<Skill>
  /** @throws {SkillcellError} USAGE when an argument is missing, SKILL_UNREADABLE when the server does not answer */
  load(skill: Skill, input: LoadInput): Promise<LoadedSkill>
}

const maxNameChars = 128
const maxArguments = 32

export interface RemoteSkillsOptions {
  readonly source: RemoteSource
  /** Splits typed arguments into words (SPEC R3.5). */
  readonly splitArguments: (text: string) => readonly string[]
  /** The same limit as that of a SKILL.md. */
  readonly maxSkillBytes: number
}

export function createRemoteSkills({ source, splitArguments, maxSkillBytes }: RemoteSkillsOptions): RemoteSkills {
  const take = async (): Promise<{ readonly byId: ReadonlyMap<string, Named>; readonly diagnostics: readonly Diagnostic[] }> => {
    const { prompts, diagnostics } = await source.list()
    return nameAll(prompts, diagnostics)
  }
  return {
    list: async () => {
      const { byId, diagnostics } = await take()
      return { skills: [...byId.values()].map(({ skill }) => skill).sort((a, b) => compareBytes(a.id, b.id)), diagnostics }
    },
    find: async id => {
      const { byId, diagnostics } = await take()
      const found = byId.get(id)
      if (found !== undefined) return found.skill
      const shown = id.slice(0, 200)
      const near = nearNames(id, [...byId.keys()])
      const hint = near.length > 0 ? `; near names: ${near.join(', ')}` : ''
      const why = diagnostics.length > 0 ? `. ${diagnostics.map(({ message }) => message).join('. ')}` : ''
      throw new SkillcellError('SKILL_NOT_FOUND', `Unknown skill: ${shown}${hint}${why}`, { details: { name: shown, near } })
    },
    load: async (skill, { argumentsText, signal }) => {
      const { byId } = await take()
      const found = byId.get(skill.id)
      if (found === undefined) throw unreadable(skill.path, 'its server no longer lists it')
      const { prompt } = found
      const values = valuesOf(prompt, splitArguments(argumentsText))
      let text: string
      try {
        text = wellFormed(await source.render(prompt.server, prompt.name, values, signal))
      } catch (error) {
        signal?.throwIfAborted()
        throw unreadable(skill.path, messageOf(error), error)
      }
      // A prompt without arguments still tells the model what was typed (SPEC R3.6).
      if (prompt.arguments.length === 0 && argumentsText.trim() !== '') text = `${text}\n\nARGUMENTS: ${argumentsText}`
      const bytes = Buffer.byteLength(text)
      if (bytes > maxSkillBytes) throw unreadable(skill.path, `it has ${bytes} bytes, and ${maxSkillBytes} are the limit`)
      const contentHash = createHash('sha256').update(text).digest('hex')
      return { skill: found.skill, body: text, bodyLine: 1, contentHash, isFinal: true }
    },
  }
}

interface Named {
  readonly skill: Skill
  readonly prompt: RemotePrompt
}

function nameAll(
  prompts: readonly RemotePrompt[],
  before: readonly Diagnostic[],
): Awaited<{ byId: Map<string, Named>; diagnostics: Diagnostic[] }> {
  const byId = new Map<string, Named>()
  const diagnostics = [...before]
  for (const prompt of prompts) {
    const path = `mcp:${prompt.server}/${cleanLine(prompt.name).slice(0, maxNameChars)}`
    const tell = (message: string): void => {
      diagnostics.push({ code: 'MCP_PROMPT', severity: 'warning', message, path })
    }
    const name = nameOf(prompt.name)
    const id = `mcp__${prompt.server}__${name ?? ''}`
    if (name === undefined)
      tell(`Left out a prompt of the server "${prompt.server}": no name can be made of ${JSON.stringify(prompt.name.slice(0, 80))}`)
    else if (byId.has(id)) tell(`Left out a prompt of the server "${prompt.server}": another one is "${id}" already`)
    else if (prompt.arguments.some(argument => argument.name === '__proto__'))
      tell(`Left out "${id}": it has an argument "__proto__", which most programs lose on the way`)
    else if (prompt.arguments.length > maxArguments)
      tell(`Left out "${id}": it has ${prompt.arguments.length} arguments, and ${maxArguments} are the limit`)
    else {
      if (name !== prompt.name)
        tell(
          `Renamed a prompt of the server "${prompt.server}" to "${id}": its name ${JSON.stringify(prompt.name.slice(0, 80))} cannot be typed`,
        )
      byId.set(id, { prompt, skill: skillOf(id, path, prompt, tell) })
    }
  }
  return { byId, diagnostics }
}

function nameOf(written: string): string | undefined {
  const name = written
    .slice(0, 1_024)
    .normalize('NFKC')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .slice(0, maxNameChars)
    .replace(/^-+|-+$/g, '')
  // Parts of a path say where, and name nothing.
  return name === '' || name === '.' || name === '..' ? undefined : name
}

function skillOf(id: string, path: string, prompt: RemotePrompt, tell: (message: string) => void): Skill {
  const written = prompt.description ?? prompt.title ?? ''
  const description = cutText(cleanLine(wellFormed(written.slice(0, 4 * maxDescriptionChars))), maxDescriptionChars)
  if (written.length > maxDescriptionChars)
    tell(`Cut the description of "${id}": it has ${written.length} characters, and ${maxDescriptionChars} are the limit`)
  const hint = hintOf(prompt)
  return {
    id,
    kind: 'command',
    displayName: prompt.title === undefined ? undefined : cutText(cleanLine(wellFormed(prompt.title.slice(0, 512))), 128),
    aliases: [],
    source: 'mcp',
    path,
    realPath: path,
    baseDir: `${noFolder}/${id}`,
    description,
    ...(hint !== '' && { argumentHint: hint }),
    argumentNames: [],
    context: 'inline',
    shell: 'bash',
    allowedTools: [],
    disallowedTools: [],
    paths: [],
    userInvocable: true,
    modelInvocable: true,
    commandsEnabled: false,
    extra: {},
  }
}

function hintOf({ arguments: declared }: RemotePrompt): string {
  return declared.map(({ name, required }) => (required ? `<${argumentName(name)}>` : `[${argumentName(name)}]`)).join(' ')
}

/** As it is shown; the server gets it as it wrote it. */
function argumentName(name: string): string {
  return cutText(cleanLine(wellFormed(name.slice(0, 256))), 64)
}

/** Words fill the arguments in their order, the last one takes the rest; `name=value` names one. */
function valuesOf(prompt: RemotePrompt, words: readonly string[]): Readonly<Record<string, string>> {
  const declared = prompt.arguments
  const values = new Map<string, string>()
  const plain: string[] = []
  for (const word of words) {
    const at = word.indexOf('=')
    const written = word.slice(0, at)
    const named =
      at > 0 ? declared.find(each => [each.name, argumentName(each.name)].includes(written) && !values.has(each.name)) : undefined
    if (named === undefined) plain.push(word)
    else values.set(named.name, word.slice(at + 1))
  }
  const open = declared.filter(each => !values.has(each.name))
  for (const [index, each] of open.entries()) {
    const rest = index === open.length - 1 ? plain.splice(0) : plain.splice(0, 1)
    if (rest.length > 0) values.set(each.name, rest.join(' '))
  }
  const missing = declared.filter(each => each.required && !values.has(each.name)).map(each => each.name)
  if (missing.length > 0) {
    const message = `Cannot ask for the prompt "${cleanLine(prompt.name)}": it needs ${missing.map(argumentName).join(', ')}; write ${hintOf(prompt)}`
    throw new SkillcellError('USAGE', message)
  }
  return Object.fromEntries(values)
}
