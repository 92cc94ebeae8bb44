// Judges the simple commands of one text, each with everything it starts: deny and ask on any spelling, allow strictly (S2–S6).

import { type ParseLimits, parseBash } from '../bash/parse.ts'
import { isInside } from '../inside.ts'
import { assignmentProblem, isSpecialName } from './assignments.ts'
import { collectCommands, type SimpleCommand } from './command.ts'
import type { Decision, SimpleCommandDecision } from './decision.ts'
import { maxLooks } from './disk-looks.ts'
import { type FileContext, judgeRedirection } from './file-access.ts'
import { levelRefusal } from './level-files.ts'
import { allLevels, type Level, levelOf, splitBeforeInner } from './levels.ts'
import { pipedNamesProblem } from './piped-names.ts'
import { readingProblem } from './reading.ts'
import type { Rule } from './rule.ts'
import { type Candidate, covers, firedBy, isBlanket, traitsOf } from './ruleset.ts'
import { summarise } from './summary.ts'
import type { CommandTables } from './tables.ts'

export interface JudgeContext extends FileContext {
  readonly tables: CommandTables
  readonly unmatched: 'ask' | 'deny'
  readonly limits: ParseLimits
}

type Verdict = Omit<SimpleCommandDecision, 'text' | 'argv' | 'inner'>
type Writable<T> = { -readonly [key in keyof T]: T[key] }
type Permission = { readonly rule?: Rule; readonly readOnly?: true } | { readonly problem: string; readonly opaque?: true }

export class Judge {
  readonly #context: JudgeContext
  readonly #watchesFiles: boolean
  /** Whether any Bash rule denies or asks: then a blanket allow does not cover what cannot be read. */
  readonly #guarded: boolean
  readonly #hasBlanket: boolean
  /** Folders that were found to lie inside: those of most commands are one and the same. */
  #inside: readonly string[] | undefined

  constructor(context: JudgeContext) {
    this.#context = context
    const { guarded, watchesFiles, hasBlanket } = traitsOf(context.rules)
    this.#watchesFiles = watchesFiles
    this.#guarded = guarded
    this.#hasBlanket = hasBlanket
  }

  text(text: string): Decision {
    const { tables, home, looks, onDisk } = this.#context
    const parsed = parseBash(text, this.#context.limits)
    const commands = collectCommands(parsed, {
      home: this.#context.home,
      directories: [this.#context.workspace],
      isSpecial: isSpecialName,
      looks,
      onDisk,
    })
    const context = { tables, home, looks, onDisk, budget: { left: maxLevels, codeChars: maxCodeChars } }
    const unreadable = parsed.problems[0] ? `The command holds ${parsed.problems[0].reason}` : tooMany(commands.length)
    const levels = commands.map(command => levelOf(command, context))
    const values = commands.map(({ values: each }) => each?.map(command => levelOf(command, context)))
    const decided = levels.map((level, index) => this.#entry(level, unreadable, values[index]))
    return summarise(decided, unreadable, this.#context.unmatched)
  }

  #entry(level: Level, unreadable: string | undefined, values?: readonly Level[]): SimpleCommandDecision {
    const { decision, rule, source, reason } = values ? this.#eachValue(level, unreadable, values) : this.#command(level, unreadable)
    const inner =
      level.inner.length + level.code.length === 0
        ? undefined
        : [...level.inner.map(({ level: each }) => each), ...level.code].map(each => this.#entry(each, unreadable))
    // Field by field: spreading objects of several shapes is what a decision would spend most of its time on.
    const entry: Writable<SimpleCommandDecision> = { text: level.command.text, argv: level.shown, decision, reason }
    if (rule !== undefined) entry.rule = rule
    if (source !== undefined) entry.source = source
    if (inner) entry.inner = inner
    return entry
  }

  /** A command in a loop: whatever the variable holds, or else each of its values, must be allowed; one value is enough to deny. */
  #eachValue(level: Level, unreadable: string | undefined, values: readonly Level[]): Verdict {
    const verdicts = values.map(each => this.#command(each, unreadable))
    const denied = verdicts.find(({ decision }) => decision === 'deny')
    if (denied) return denied
    const whole = this.#command(level, unreadable)
    if (whole.decision !== 'ask') return whole
    return verdicts.find(({ decision }) => decision !== 'allow') ?? verdicts[0] ?? whole
  }

  #command(level: Level, unreadable: string | undefined): Verdict {
    let ask: Verdict | undefined
    for (const each of allLevels(level)) {
      const deny = firedBy(this.#context.rules.deny, each)
      if (deny?.certain) return byRule('deny', deny.rule, `"${each.joined}" is denied by ${deny.rule.text}`)
      if (deny) ask ??= byRule('ask', deny.rule, `"${each.joined}" could become what ${deny.rule.text} denies`)
      const asked = firedBy(this.#context.rules.ask, each)
      if (asked) ask ??= byRule('ask', asked.rule, `${asked.rule.text} asks for "${each.joined}"`)
    }
    const files = this.#watchesFiles ? levelRefusal(level, this.#context) : undefined
    if (files?.decision === 'deny') return byRule('deny', files.rule, files.reason)
    if (files) ask ??= byRule('ask', files.rule, files.reason)
    if (ask) return ask
    const permission = this.#allowed(level, unreadable)
    // What was not looked at could be what a rule denies.
    if (this.#context.looks.areSpent) return { decision: this.#context.unmatched, reason: tooManyLooks }
    if ('problem' in permission) return { decision: permission.opaque ? 'ask' : this.#context.unmatched, reason: permission.problem }
    const { rule } = permission
    if (rule) return byRule('allow', rule, `allowed by ${rule.text}`)
    return {
      decision: 'allow',
      reason: permission.readOnly ? 'reads only, inside the workspace' : 'needs no rule',
      source: 'read-only set',
    }
  }

  #allowed(level: Level, unreadable: string | undefined): Permission {
    const opened = this.#redirectionsAllowed(level.command)
    if (opened) return opened
    const blanket = this.#blanket(level, unreadable)
    if (blanket) return blanket
    if (unreadable) return { problem: unreadable, opaque: true }
    if (level.words.length === 0) return this.#bare(level)
    return this.#levelAllowed(level)
  }

  // An assignment or a redirection with no command.
  #bare(level: Level): Permission {
    const [reason] = level.opaque
    if (reason) return { problem: `Cannot be read: ${reason}`, opaque: true }
    for (const fact of level.assignments) {
      const problem = assignmentProblem(fact, 'alone', this.#context.tables.assignments)
      if (problem) return this.#spelledBare(level) ?? { problem: `No rule covers it: ${problem}` }
    }
    return {}
  }

  #spelledBare(level: Level): Permission | undefined {
    const rule = this.#covering({ text: level.assignments.map(({ text }) => text).join(' '), dangerous: noWords }, rule => !isBlanket(rule))
    return rule && { rule }
  }

  #redirectionsAllowed(command: SimpleCommand): Permission | undefined {
    for (const redirection of command.redirections) {
      const { problem, refusal, opaque } = judgeRedirection(redirection, command, this.#context)
      const blanketRead =
        redirection.operator === '<' && this.#context.rules.allow.some(rule => isBlanket(rule) && !rule.within) && !this.#guarded
      if (opaque && this.#guarded) return { problem: `Cannot be allowed: ${opaque}`, opaque: true }
      if (opaque && !this.#hasBlanket) return { problem: `Cannot be allowed: ${opaque}`, opaque: true }
      if ((problem || refusal) && !blanketRead) return { problem: `Cannot be allowed: ${problem ?? refusal?.reason ?? ''}` }
    }
    return undefined
  }

  #blanket(level: Level, unreadable: string | undefined): Permission | undefined {
    if (!this.#hasBlanket) return undefined
    if (this.#guarded && (unreadable !== undefined || this.#hidesSomething(level))) return undefined
    const rule = this.#covering({ text: level.joined, dangerous: noWords }, isBlanket)
    return rule && { rule }
  }

  #hidesSomething(level: Level): boolean {
    for (const each of allLevels(level))
      if (
        each.facts.dangerous.some(({ effect }) => effect === 'runs') ||
        each.facts.code !== undefined ||
        each.opaque.length > 0 ||
        each.assignments.some(({ name }) => isSpecialName(name)) ||
        each.command.directories === undefined
      )
        return true
    return false
  }

  /** Whether the rules cover one level and everything it starts (S2, S6). */
  #levelAllowed(level: Level): Permission {
    const [reason] = level.opaque
    if (reason) return { problem: `Cannot be allowed by a pattern: ${reason}`, opaque: true }
    // `"cat a/b"` runs the file `b` of a folder `cat a`, and to a rule it looks like cat.
    if (/\s/.test(level.words[0]?.value ?? '')) return { problem: `"${level.shown[0]}" is one word`, opaque: true }
    if (level.takesCode) return { problem: `Cannot be allowed by a pattern: ${level.takesCode}`, opaque: true }
    const outside = this.#outside(level)
    if (outside) return { problem: outside, opaque: true }
    const transparent = level.inner.length === 1 && level.inner[0]?.transparent ? level.inner[0] : undefined
    if (transparent) return this.#harmless(level) ? this.#levelAllowed(transparent.level) : this.#unmatched(level)
    const own = this.#ownRule(level)
    if (own && level.inner.length === 0) return { rule: own }
    if (this.#readOnly(level)) return own ? { rule: own } : { readOnly: true }
    if (!own) return this.#readsThrough(level) ?? this.#unmatched(level)
    const split = splitBeforeInner(level)
    if (split) return { problem: `"${split.text}" may become several words, so what "${level.joined}" starts is not known`, opaque: true }
    for (const { level: inner, denyOnly } of level.inner) {
      if (denyOnly) continue
      const permission = this.#levelAllowed(inner)
      if ('problem' in permission) return permission
    }
    return { rule: own }
  }

  /** `env cat a.txt`. */
  #readsThrough({ inner, code }: Level): Permission | undefined {
    const [only, another] = inner
    const permission = only?.pure && !another && code.length === 0 ? this.#levelAllowed(only.level) : undefined
    if (!only || !permission || 'problem' in permission) return undefined
    return permission.readOnly || this.#readOnly(only.level) ? { readOnly: true } : undefined
  }

  #ownRule(level: Level): Rule | undefined {
    const dangerous = (): readonly string[] => level.facts.dangerous.map(({ word }) => word)
    if (this.#harmless(level)) {
      const candidate: Candidate = { text: level.joined, dangerous }
      for (const rule of this.#context.rules.allow)
        if (covers(rule, candidate) && (!isBlanket(rule) || !this.#guarded || !this.#hidesSomething(level))) return rule
    }
    if (level.assignments.length === 0) return undefined
    const spelled = [
      ...level.assignments.map(({ name, value, text }) => (value?.value === undefined ? text : `${name}=${value.value}`)),
      level.joined,
    ].join(' ')
    return this.#covering(
      { text: spelled, dangerous: () => [...dangerous(), ...level.assignments.map(({ name }) => name)] },
      rule => !isBlanket(rule),
    )
  }

  #harmless(level: Level): boolean {
    if (level.assignments.length === 0) return true
    const place = level.words[0]?.value !== undefined && declares.has(level.words[0].value) ? 'alone' : 'before-a-command'
    return level.assignments.every(fact => assignmentProblem(fact, place, this.#context.tables.assignments) === undefined)
  }

  #covering(candidate: Candidate, among: (rule: Rule) => boolean = () => true): Rule | undefined {
    for (const rule of this.#context.rules.allow) if (covers(rule, candidate) && among(rule)) return rule
    return undefined
  }

  #readOnly(level: Level): boolean {
    if (!this.#harmless(level)) return false
    if (level.words[0]?.value === 'xargs') return this.#pipedNames(level) === undefined
    return level.facts.reads.ok && readingProblem(level.facts.reads, level.command.directories, this.#context) === undefined
  }

  #pipedNames(level: Level): string | undefined {
    // What a wrapper starts has words of its own, and the input of the whole.
    return pipedNamesProblem({ ...level.command, words: level.words }, this.#context)
  }

  #outside(level: Level): string | undefined {
    const { directories } = level.command
    if (directories && directories === this.#inside) return undefined
    if (!directories) return `Where "${level.joined}" would run is not known`
    for (const directory of directories)
      if (!this.#context.readDirectories.some(folder => isInside(directory, folder)))
        return `"${level.joined}" would run outside the workspace, in "${directory}"`
    this.#inside = directories
    return undefined
  }

  #unmatched(level: Level): Permission {
    const dangerous = level.facts.dangerous[0]
    const assigned = level.assignments
      .map(fact => assignmentProblem(fact, 'before-a-command', this.#context.tables.assignments))
      .find(problem => problem !== undefined)
    const readOnly = level.facts.reads
    const detail =
      assigned ??
      (this.#guarded && level.facts.code !== undefined
        ? `code given to ${level.facts.code} could start what a rule denies or asks`
        : undefined) ??
      (readOnly.ok ? readingProblem(readOnly, level.command.directories, this.#context) : undefined) ??
      (dangerous ? `${dangerous.word} ${dangerous.reason}` : undefined) ??
      (level.words[0]?.value === 'xargs' ? this.#pipedNames(level) : undefined) ??
      (readOnly.ok ? undefined : readOnly.reason)
    return { problem: `No rule allows "${level.joined}"${detail ? ` (${detail})` : ''}` }
  }
}

const noWords = (): readonly string[] => []

// Commands inside wrappers and code, of one text.
const maxLevels = 512
const maxCodeChars = 20_000

// A decision has bounded time. Deny and ask still look at each; a pattern allows none of so many.
const maxCommands = 256

function tooMany(commands: number): string | undefined {
  return commands > maxCommands ? `The command holds more than ${maxCommands} simple commands` : undefined
}

const tooManyLooks = `The command needs more than ${maxLooks.toLocaleString('en-US')} looks at the disk to be decided`

/** Builtins whose assignments are arguments. */
const declares: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'local', 'readonly'])

function byRule(decision: Verdict['decision'], rule: Rule | undefined, reason: string): Verdict {
  return rule ? { decision, reason, rule: rule.text, source: rule.source } : { decision, reason }
}
