// A request with the values that most tests do not care for.

import { planExpansion } from '../../src/expansion/expand.ts'
import type { ExpansionRequest } from '../../src/expansion/plan.ts'
import { renderPlan } from '../../src/expansion/render.ts'

export function request(body: string, argumentsText = '', rest: Partial<ExpansionRequest> = {}): ExpansionRequest {
  return {
    body,
    bodyLine: 1,
    path: '/skills/s/SKILL.md',
    kind: 'skill',
    argumentsText,
    argumentsFile: '/state/args',
    argumentNames: [],
    hasArgumentHint: false,
    skillDir: '/skills/s',
    projectDir: '/work space',
    sessionId: 'session-1',
    dialect: 'skillcell',
    maxExportedBytes: 65_536,
    ...rest,
  }
}

/** The text of an expansion whose commands print `<their source>`. */
export function expandText(body: string, argumentsText = '', rest: Partial<ExpansionRequest> = {}): string {
  const plan = planExpansion(request(body, argumentsText, rest))
  const outcomes = plan.commands.map(({ source }) => ({ status: 'ok', output: `<${source}>` }) as const)
  return renderPlan(plan, outcomes, { kind: 'command', baseDir: '/skills/s', dialect: rest.dialect ?? 'skillcell' })
}
