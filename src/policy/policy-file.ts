// One policy file: read, checked, its rules read. Whatever is wrong names file, line and rule, and nothing starts.

import { dirname, resolve } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { messageOf, SkillcellError } from '../errors.ts'
import type { SandboxMode, SourceName } from '../options.ts'
import { sourceNames } from '../options.ts'
import { readPlainFile } from '../plain-file.ts'
import { namedPolicies, namedPolicyFile } from './named-policies.ts'
import { type Rule, readRule } from './rule.ts'

export type GrantMode = 'full' | 'ceiling' | 'none'

export interface PolicyScalars {
  /** What a command that no rule covers gets. */
  readonly unmatched: 'ask' | 'deny'
  /** False: each injected command becomes a note and nothing is started (SPEC R4.7). */
  readonly shellExecution: boolean
  readonly sandbox: SandboxMode
  /** Nobody to ask: ask is deny. */
  readonly unattended: boolean
  /** What `allowed-tools` of a source grants (SPEC R5.11). */
  readonly grants: Readonly<Record<SourceName, GrantMode>>
}

export interface PolicyFile {
  readonly path: string
  readonly allow: readonly Rule[]
  readonly ask: readonly Rule[]
  readonly deny: readonly Rule[]
  /** Rules that bound a `ceiling` grant, as text: `${SKILLCELL_SKILL_DIR}` in them is the folder of each skill. */
  readonly ceiling: readonly { readonly text: string; readonly line?: number; readonly path: string }[]
  readonly scalars: Partial<Omit<PolicyScalars, 'grants'>> & { readonly grants?: Partial<Record<SourceName, GrantMode>> }
}

const ruleList = z.array(z.string()).optional()
const grantMode = z.enum(['full', 'ceiling', 'none'])
const schema = z.strictObject({
  extends: z.union([z.string(), z.array(z.string())]).optional(),
  allow: ruleList,
  ask: ruleList,
  deny: ruleList,
  ceiling: ruleList,
  unmatched: z.enum(['ask', 'deny']).optional(),
  shellExecution: z.boolean().optional(),
  sandbox: z.enum(['required', 'auto', 'off']).optional(),
  unattended: z.boolean().optional(),
  grants: z.union([grantMode, z.partialRecord(z.enum(sourceNames as [SourceName, ...SourceName[]]), grantMode)]).optional(),
})

const maxExtends = 8
const maxFileBytes = 1024 * 1024

/**
 * Reads a policy by path, or by the name of one that comes with skillcell, with all that it extends. `/` in its rules is its folder.
 * @throws {SkillcellError} POLICY_INVALID
 */
export function readPolicyFile(nameOrPath: string, from: string, chain: readonly string[] = []): PolicyFile {
  const path = namedPolicyFile(nameOrPath) ?? resolve(from, nameOrPath)
  if (chain.includes(path) || chain.length >= maxExtends)
    throw invalid(`Cannot use policy "${path}": it extends itself (${[...chain, path].join(' → ')})`)
  const { value, lineOf } = parseYaml(path, readText(path, chain))
  const parsed = schema.safeParse(value ?? {})
  if (!parsed.success) throw invalid(`Cannot use policy "${path}": ${problems(parsed.error, lineOf)}`)
  const data = parsed.data
  const bases = [data.extends ?? []].flat().map(base => readPolicyFile(base, dirname(path), [...chain, path]))
  const rules = (kind: 'allow' | 'ask' | 'deny'): readonly Rule[] => [
    ...bases.flatMap(base => base[kind]),
    ...(data[kind] ?? []).map((text, index) => ruleOf(text, path, lineOf([kind, index]))),
  ]
  const grants = typeof data.grants === 'string' ? Object.fromEntries(sourceNames.map(name => [name, data.grants])) : data.grants
  return {
    path,
    allow: rules('allow'),
    ask: rules('ask'),
    deny: rules('deny'),
    ceiling: [
      ...bases.flatMap(base => base.ceiling),
      ...(data.ceiling ?? []).map((text, index) => checkedCeiling(text, path, lineOf(['ceiling', index]))),
    ],
    scalars: {
      ...Object.assign({}, ...bases.map(base => base.scalars)),
      ...definedOnly({
        unmatched: data.unmatched,
        shellExecution: data.shellExecution,
        sandbox: data.sandbox,
        unattended: data.unattended,
      }),
      ...(grants || bases.some(base => base.scalars.grants)
        ? { grants: Object.assign({}, ...bases.map(base => base.scalars.grants), grants) }
        : {}),
    },
  }
}

function readText(path: string, chain: readonly string[]): string {
  try {
    return readPlainFile(path, maxFileBytes)
  } catch (error) {
    const by = chain.length > 0 ? `, which "${chain.at(-1)}" extends` : ''
    throw invalid(`Cannot read policy "${path}"${by}: ${messageOf(error)}. It is a file, or one of ${namedPolicies.join(', ')}`)
  }
}

interface Parsed {
  readonly value: unknown
  /** Line of a value by its path, from 1. */
  readonly lineOf: (path: readonly PropertyKey[]) => number | undefined
}

function parseYaml(path: string, text: string): Parsed {
  const lineCounter = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter, schema: 'core', merge: false, uniqueKeys: true })
    const [error] = document.errors
    if (error) throw invalid(`Cannot use policy "${path}": ${error.message}`)
    const lineOf = (keys: readonly PropertyKey[]): number | undefined => {
      const node = document.getIn(keys, true)
      const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined
      return range ? lineCounter.linePos(range[0]).line : undefined
    }
    return { value: document.toJS({ maxAliasCount: 0 }), lineOf }
  } catch (error) {
    throw error instanceof SkillcellError ? error : invalid(`Cannot use policy "${path}": ${messageOf(error)}`)
  }
}

function problems(error: z.ZodError, lineOf: Parsed['lineOf']): string {
  return error.issues
    .map(issue => {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
      const line = (unknown === undefined ? undefined : lineOf([...issue.path, unknown])) ?? lineOf(issue.path)
      const known = unknown !== undefined && issue.path.length === 0 ? `; there are ${Object.keys(schema.shape).join(', ')}` : ''
      return `${line ? `line ${line}: ` : ''}${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}${known}`
    })
    .join('; ')
}

function ruleOf(text: string, path: string, line: number | undefined): Rule {
  const read = readRule([text], { source: path, root: dirname(path), ...(line === undefined ? {} : { line }) })
  if ('problem' in read) throw invalid(`Cannot use policy "${path}"${line ? `, line ${line}` : ''}: ${read.problem}`)
  return read.rule
}

function checkedCeiling(text: string, path: string, line: number | undefined): PolicyFile['ceiling'][number] {
  ruleOf(text, path, line)
  return { text, path, ...(line === undefined ? {} : { line }) }
}

function definedOnly<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>
}

function invalid(message: string): SkillcellError {
  return new SkillcellError('POLICY_INVALID', message)
}
