// What a runtime can be asked without running anything: which skills there are, what one is, what the policy says, whether files
// are sound. What only some questions need is loaded when one is asked, so that a list starts fast.

import { resolve } from 'node:path'
import type { CatalogRoom } from './catalog-setup.ts'
import type { Diagnostic } from './errors.ts'
import { type ExpansionInput, expansionRequest } from './expansion-request.ts'
import { entriesOf, type ListedEntries, type ListOptions } from './list-entries.ts'
import type { Decision } from './policy/decision.ts'
import { loadPolicy, type Policy } from './policy/load.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import { decisionContext, policySources } from './policy-setup.ts'
import type { Sessions } from './sessions.ts'
import { checkedSession, type Setup } from './setup.ts'
import type { CheckHooks } from './skills/build-skill.ts'
import type { Completion } from './skills/completions.ts'
import { type ListEntry, toListEntry } from './skills/list-entry.ts'
import { whyNotForModel } from './skills/not-for-model.ts'
import type { LoadedSkill } from './skills/skill.ts'
import type { ValidationReport } from './skills/validate.ts'

export interface SkillList extends ListedEntries {
  readonly diagnostics: readonly Diagnostic[]
}

/** More rules for one question; `/` in them is the workspace. */
export interface ExtraRules {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export interface ShownSkill {
  readonly skill: ListEntry
  /** As parsed; what is wrong with them is in the diagnostics. */
  readonly hooks?: unknown
  /** Why a model may not call it. */
  readonly notForModel?: string
  readonly body: string
  readonly diagnostics: readonly Diagnostic[]
}

export interface Questions {
  /** What was wrong in the sources of the policy and did not stop the start. */
  readonly diagnostics: readonly Diagnostic[]
  /** @throws nothing for a broken skill: it is a diagnostic. */
  list(options?: ListOptions): Promise<SkillList>
  /** What a user may type for a text such as `/rev`, best first; nothing once arguments begin. */
  complete(typed: string, options?: { readonly sessionId?: string }): Promise<readonly Completion[]>
  /**
   * Tells that a host's own tool read, wrote or edited a file: skills that wait for it, and skill folders beside it, are there for the
   * session from now on (SPEC R10.1, R10.2). @param path absolute, or relative to the workspace
   */
  touch(path: string, sessionId: string): void
  /** One skill with its text. @throws {SkillcellError} SKILL_NOT_FOUND, SKILL_UNREADABLE, SKILL_INVALID */
  show(name: string): Promise<ShownSkill>
  /** What the policy says of a command; ask stays ask. @throws {SkillcellError} POLICY_INVALID for a wrong extra rule */
  decide(command: string, rules?: ExtraRules): Promise<Decision>
  /** The same, told in sentences. */
  explain(command: string, rules?: ExtraRules): Promise<string>
  validate(paths: readonly string[], options?: { readonly strict?: boolean }): Promise<ValidationReport>
}

// For a body that is only checked: nothing of it is shown or run.
const noArguments: ExpansionInput = { argumentsText: '', argumentsFile: '/arguments', sessionId: 'none' }

export interface QuestionsOptions {
  readonly sources: Pick<CatalogRoom, 'catalog' | 'diagnostics'>
  readonly policy: Policy
  readonly savedRules: SavedRules
  readonly setup: Setup
  readonly sessions: Pick<Sessions, 'of'>
}

export function createQuestions({
  sources: { catalog, diagnostics: ofSources },
  policy,
  savedRules,
  setup,
  sessions,
}: QuestionsOptions): Questions {
  const { limits } = setup
  const decide = async (command: string, rules: ExtraRules | undefined): Promise<Decision> => {
    const { decideCommand } = await import('./policy/decide.ts')
    const context = decisionContext(setup, { extraReadDirectories: [], grants: savedRules.allow, denials: savedRules.deny })
    return decideCommand(rules ? await loadPolicy(policySources(setup, rules)) : policy, command, context)
  }
  return {
    diagnostics: [...policy.diagnostics, ...ofSources],
    list: async (options = {}) => {
      const session = options.sessionId === undefined ? undefined : sessions.of(checkedSession(options.sessionId))
      const found = await (session?.catalog ?? catalog).list()
      return {
        ...entriesOf(found.skills, options, limits.listingBudgetChars, session?.activation.isActive),
        diagnostics: [...policy.diagnostics, ...ofSources, ...found.diagnostics],
      }
    },
    complete: async (typed, { sessionId } = {}) => {
      const { completionsFor } = await import('./skills/completions.ts')
      const session = sessionId === undefined ? undefined : sessions.of(checkedSession(sessionId))
      return completionsFor((await (session?.catalog ?? catalog).list()).skills, typed)
    },
    touch: (path, sessionId) => {
      sessions.of(checkedSession(sessionId)).activation.touch(resolve(setup.workspace, path))
    },
    show: async name => {
      const loaded = await catalog.load(await catalog.find(name))
      const { skill, body, diagnostics } = loaded
      const notForModel = whyNotForModel(skill)
      return {
        skill: toListEntry(skill),
        ...(skill.hooks !== undefined && { hooks: skill.hooks }),
        ...(notForModel !== undefined && { notForModel }),
        body,
        diagnostics,
      }
    },
    decide,
    explain: async (command, rules) => {
      const { explainDecision } = await import('./policy/explain.ts')
      return explainDecision(command, await decide(command, rules))
    },
    validate: async (paths, { strict = false } = {}) => {
      const [{ validatePaths }, { checkRule }, { planExpansion }, { readHooks }] = await Promise.all([
        import('./skills/validate.ts'),
        import('./policy/rule.ts'),
        import('./expansion/expand.ts'),
        import('./hooks/read-hooks.ts'),
      ])
      const checkHooks: CheckHooks = hooks => readHooks(hooks, { checkRule })
      const checkBody = (loaded: LoadedSkill): readonly Diagnostic[] =>
        planExpansion(expansionRequest(loaded, noArguments, setup)).diagnostics
      return validatePaths(paths, {
        strict,
        checkRule,
        checkHooks,
        checkBody,
        limits,
        workspace: setup.workspace,
      })
    },
  }
}
