import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecisionKind } from '../../src/policy/decision.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { decideTool, type ToolRequest, type TurnTools } from '../../src/policy/tool-decision.ts'
import { createPlace, type Place, type Rules } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
  place.write('src/a.ts')
  place.write('secret/key.pem')
  place.write(`${place.home}/outside.txt`)
  place.link('way-out', place.home)
  place.link('alias', 'secret')
})
afterAll(() => place.remove())

async function decide(request: ToolRequest, rules: Rules, turn?: TurnTools): Promise<DecisionKind> {
  const policy = await loadPolicy({ workspace: place.workspace, home: place.home, ...rules })
  return decideTool(policy, request, { workspace: place.workspace, home: place.home, extraReadDirectories: [], grants: [] }, turn).decision
}

describe('decideTool() on files, by the real path', () => {
  test.each<[ToolRequest['tool'], string, Rules, DecisionKind]>([
    ['Read', 'src/a.ts', {}, 'allow'],
    ['Read', '../x', {}, 'ask'],
    ['Read', '/etc/hostname', {}, 'ask'],
    ['Read', '/etc/hostname', { allow: ['Read(//etc/**)'] }, 'allow'],
    ['Read', 'way-out/outside.txt', {}, 'ask'],
    ['Read', 'way-out/outside.txt', { allow: ['Read(~/*.txt)'] }, 'allow'],
    ['Read', 'way-out/../outside.txt', {}, 'ask'],
    ['Read', 'secret/key.pem', { deny: ['Read(./secret/**)'] }, 'deny'],
    ['Read', 'alias/key.pem', { deny: ['Read(./secret/**)'] }, 'deny'],
    ['Read', 'secret/key.pem', { deny: ['Read(./alias/**)'] }, 'allow'],
    ['Read', 'deep/down/.env', { deny: ['Read(.env)'] }, 'deny'],
    ['Read', 'src/a.ts', { deny: ['Read'] }, 'deny'],
    ['Read', 'src/a.ts', { ask: ['Read(*.ts)'] }, 'ask'],
    ['Edit', 'src/a.ts', {}, 'ask'],
    ['Edit', 'src/a.ts', { allow: ['Edit(/src/**)'] }, 'allow'],
    ['Write', 'src/new.ts', { allow: ['Edit(src/**)'] }, 'allow'],
    ['Edit', 'src/a.ts', { allow: ['Edit'], deny: ['Read(./src/**)'] }, 'deny'],
    ['Edit', 'way-out/x', { allow: ['Edit(./**)'] }, 'ask'],
    ['Edit', 'srcs/a.ts', { allow: ['Edit(src/**)'] }, 'ask'],
  ])('%s %j under %j: %s', async (tool, path, rules, decision) => {
    expect(await decide({ tool, path } as ToolRequest, rules)).toBe(decision)
  })
})

describe('decideTool() on what has a name', () => {
  test.each<[ToolRequest, Rules, DecisionKind]>([
    [{ tool: 'WebFetch', url: 'https://Example.COM./x' }, { allow: ['WebFetch(domain:example.com)'] }, 'allow'],
    [{ tool: 'WebFetch', url: 'https://example.com.evil.test/' }, { allow: ['WebFetch(domain:example.com)'] }, 'ask'],
    [{ tool: 'WebFetch', url: 'https://a.b.example.com/' }, { allow: ['WebFetch(domain:*.example.com)'] }, 'allow'],
    [{ tool: 'WebFetch', url: 'https://example.com/' }, { allow: ['WebFetch(domain:*.example.com)'] }, 'ask'],
    [{ tool: 'WebFetch', url: 'https://api.eu.example.com/' }, { allow: ['WebFetch(domain:api.*.example.com)'] }, 'allow'],
    [{ tool: 'WebFetch', url: 'no address' }, { allow: ['WebFetch(domain:*)'] }, 'ask'],
    [{ tool: 'WebFetch', url: 'https://example.com@evil.test/' }, { allow: ['WebFetch(domain:example.com)'] }, 'ask'],
    [{ tool: 'Agent', name: 'Explore' }, { deny: ['Task(Explore)'] }, 'deny'],
    [{ tool: 'Agent', name: 'Explore' }, { deny: ['Task'] }, 'deny'],
    [{ tool: 'mcp__files__read' }, { allow: ['mcp__files'] }, 'allow'],
    [{ tool: 'mcp__files__read' }, { allow: ['mcp__files__*'] }, 'allow'],
    [{ tool: 'mcp__files2__read' }, { allow: ['mcp__files'] }, 'ask'],
    [{ tool: 'mcp__files__read' }, { allow: ['mcp__files'], deny: ['mcp__files__read'] }, 'deny'],
    [{ tool: 'Agent', name: 'Explore' }, { allow: ['Agent(Explore)'] }, 'allow'],
    // What starts it was decided, and what it does will be.
    [{ tool: 'Agent', name: 'Plan' }, { allow: ['Agent(Explore)'] }, 'allow'],
    [{ tool: 'Agent', name: 'Plan' }, { deny: ['Agent(Plan)'] }, 'deny'],
    [{ tool: 'Agent', name: 'Plan' }, { ask: ['Agent'] }, 'ask'],
    [{ tool: 'Skill', name: 'review', carries: false }, {}, 'allow'],
    [{ tool: 'Skill', name: 'review', carries: true }, {}, 'ask'],
    [{ tool: 'Skill', name: 'review', carries: true }, { allow: ['Skill(review)'] }, 'allow'],
    [{ tool: 'Skill', name: 'team:review', carries: true }, { allow: ['Skill(team:*)'] }, 'allow'],
    [{ tool: 'Skill', name: 'team', carries: true }, { allow: ['Skill:team:*'] }, 'allow'],
    [{ tool: 'Skill', name: 'teams', carries: true }, { allow: ['Skill(team:*)'] }, 'ask'],
    [{ tool: 'Skill', name: 'review', carries: false }, { deny: ['Skill'] }, 'deny'],
    [{ tool: 'Skill', name: 'review', carries: false }, { ask: ['Skill(review)'] }, 'ask'],
  ])('%j under %j: %s', async (request, rules, decision) => {
    expect(await decide(request, rules)).toBe(decision)
  })
})

describe('the tools of a turn', () => {
  test.each<[TurnTools, DecisionKind]>([
    [{ without: [] }, 'allow'],
    [{ only: ['Read'], without: [] }, 'allow'],
    [{ only: ['Bash'], without: [] }, 'deny'],
    [{ only: [], without: [] }, 'deny'],
    [{ without: ['Read'] }, 'deny'],
  ])('%j: %s', async (turn, decision) => {
    expect(await decide({ tool: 'Read', path: 'src/a.ts' }, {}, turn)).toBe(decision)
  })
})
