// What a file says + where it lies → a Skill. Names it (SPEC R1.3), fills its grants (R5.7), and tells what is not as the format wants.

import type { Diagnostic } from '../errors.ts'
import { isKnownTool } from '../tool-names.ts'
import type { FoundFile } from './discover.ts'
import { closedEffect } from './frontmatter-fields.ts'
import { fillGrant } from './grants.ts'
import { isUsableName, isValidName, slugName } from './names.ts'
import type { GrantRule, Skill } from './skill.ts'
import { maxDescriptionChars, type SkillHead } from './skill-file.ts'
import { toolOfRule } from './tool-list.ts'

export interface NamedSkill {
  readonly skill: Skill
  /** Its other name, if that could be typed; the catalog gives it when it is free. */
  readonly alias?: string
  /** Whether the folder or file has the name too. */
  readonly isNamedByFolder: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** What can be said of parsed `hooks`: the room that runs them reads them. A problem that restricts closes the skill (SPEC R2.5). */
export type CheckHooks = (hooks: unknown) => {
  readonly isWhole: boolean
  readonly problems: readonly { readonly message: string; readonly restricts: boolean }[]
}

export interface BuildPlace {
  /** Of the file that was read. */
  readonly path: string
  readonly realPath: string
  readonly projectDir: string
  readonly checkHooks?: CheckHooks | undefined
}

/** Builds a skill from the head of its file. */
export function buildSkill(found: FoundFile, head: SkillHead, { path, realPath, projectDir, checkHooks }: BuildPlace): NamedSkill {
  const { fields } = head
  const diagnostics: Diagnostic[] = [...head.diagnostics]
  const tell = (code: string, severity: Diagnostic['severity'], message: string, line = 1) =>
    diagnostics.push({ code, severity, message, path, line, column: 1 })
  const prefix = found.plugin === undefined ? '' : `${found.plugin.name}:`
  const { name, alias } = nameOf(found, fields.displayName, tell)
  if (fields.description === undefined && head.description === '') {
    tell('DESCRIPTION_MISSING', 'warning', 'Add a "description": without one the model does not know what the skill is for')
  } else if (found.kind !== 'agent' && head.description.length > maxDescriptionChars) {
    tell(
      'DESCRIPTION_LONG',
      'warning',
      `Shorten the "description": it has ${head.description.length} characters, and ${maxDescriptionChars} are the limit`,
    )
  }
  for (const rule of [...fields.allowedRules, ...fields.disallowedTools]) {
    const tool = toolOfRule(rule)
    if (!isKnownTool(tool))
      tell(
        'TOOL_UNKNOWN',
        'warning',
        `Remove or rename the tool "${tool}": there is none of that name, and the rule "${rule}" has no effect`,
      )
  }
  const allowedTools: GrantRule[] = []
  const pluginRoot = found.plugin?.root
  const folders = { skillDir: found.baseDir, projectDir, pluginRoot }
  for (const rule of fields.allowedRules) {
    const grant = fillGrant(rule, folders)
    if ('pieces' in grant) allowedTools.push(grant)
    else
      tell(
        'RULE_DROPPED',
        'warning',
        `Dropped "${rule}" from "allowed-tools": ${grant.unfilled} has no value here, and the rule grants nothing`,
      )
  }
  // A hook that cannot be read would have forbidden something: the skill is closed instead (SPEC R2.5).
  const hooks = fields.hooks === undefined ? undefined : checkHooks?.(fields.hooks)
  for (const { message, restricts } of hooks?.problems ?? []) {
    if (restricts) tell('HOOKS_INVALID', 'error', `${message}; ${closedEffect}`, fields.hooksLine)
    else tell('HOOKS_INVALID', 'warning', message, fields.hooksLine)
  }
  const isOpen = hooks?.isWhole ?? true
  const skill: Skill = {
    id: prefix + name,
    kind: found.kind,
    displayName: fields.displayName,
    aliases: [],
    source: found.source,
    path,
    realPath,
    baseDir: found.baseDir,
    pluginRoot,
    description: head.description,
    whenToUse: fields.whenToUse,
    argumentHint: fields.argumentHint,
    argumentNames: fields.argumentNames,
    argumentsBase: fields.argumentsBase,
    context: fields.context,
    agent: fields.agent,
    model: fields.model,
    effort: fields.effort,
    shell: fields.shell,
    allowedTools: isOpen ? allowedTools : [],
    disallowedTools: fields.disallowedTools,
    paths: fields.paths,
    hooks: fields.hooks,
    userInvocable: fields.userInvocable,
    modelInvocable: fields.modelInvocable && isOpen,
    commandsEnabled: fields.commandsEnabled && isOpen,
    extra: fields.extra,
  }
  return { skill, diagnostics, isNamedByFolder: found.localName === name, alias: alias === undefined ? undefined : prefix + alias }
}

/** The name of a file whose frontmatter says none, or cannot be read. */
export function localNameOf(found: FoundFile): string {
  if (isValidName(found.localName)) return found.localName
  const parts = found.kind === 'command' ? found.localName.split(':') : [found.localName]
  return parts.map(part => (isUsableName(part) ? part : slugName(part))).join(':')
}

type Tell = (code: string, severity: Diagnostic['severity'], message: string) => void

function nameOf(found: FoundFile, displayName: string | undefined, tell: Tell): { name: string; alias?: string } {
  const localName = localNameOf(found)
  const what = found.kind === 'skill' ? 'folder' : 'file'
  const wanted = 'lower-case letters, digits and single hyphens, 64 at most'
  if (localName !== found.localName) {
    tell(
      'NAME_SLUGGED',
      'warning',
      `Rename the ${what} "${found.localName}": its name cannot be typed, and the name here is "${localName}"`,
    )
  }
  if (displayName === undefined || found.kind === 'command') {
    if (displayName === undefined && found.kind === 'skill' && localName === found.localName && !isValidName(localName)) {
      tell('NAME_INVALID', 'warning', `Rename the folder "${localName}": a name is ${wanted}`)
    }
    // The name of a command is its place; what its frontmatter says is a second name.
    return {
      name: localName,
      ...(displayName !== undefined && displayName !== localName && isUsableName(displayName) ? { alias: displayName } : {}),
    }
  }
  if (isValidName(displayName)) return displayName === localName ? { name: localName } : { name: displayName, alias: localName }
  tell(
    'NAME_INVALID',
    'warning',
    `Change the "name" ${JSON.stringify(displayName.slice(0, 100))}: a name is ${wanted}; the name here is that of the ${what}, "${localName}"`,
  )
  return { name: localName, ...(displayName !== localName && isUsableName(displayName) ? { alias: displayName } : {}) }
}
