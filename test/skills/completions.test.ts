import { describe, expect, test } from 'vitest'
import { completionsFor } from '../../src/skills/completions.ts'
import type { Skill } from '../../src/skills/skill.ts'
import { createWorkspace, skillText } from './workspace.ts'

describe('completionsFor()', () => {
  const skillsOf = async (): Promise<readonly Skill[]> => {
    const workspace = createWorkspace({
      'project/.claude/skills/review/SKILL.md': skillText('review', 'description: Reviews\nargument-hint: "[file]"'),
      'project/.claude/skills/code/SKILL.md': skillText('code-review'),
      'project/.claude/skills/hidden/SKILL.md': skillText('review-hidden', 'user-invocable: false'),
      'project/.claude/agents/reviewer.md': skillText('reviewer'),
      'project/.agents/skills/review/SKILL.md': skillText('review'),
      'project/.claude/commands/team/review.md': 'x',
      'project/.claude/commands/other.md': 'x',
    })
    return (await workspace.catalog().list()).skills
  }
  const texts = async (typed: string, most?: number): Promise<string[]> =>
    completionsFor(await skillsOf(), typed, most).map(({ text }) => text)

  test.each([
    ['/', ['/code', '/code-review', '/other', '/review', '/team:review'].sort()],
    ['/rev', ['/review', '/team:review', '/code-review']],
    ['/REV', ['/review', '/team:review', '/code-review']],
    ['  /team', ['/team:review']],
    ['/code', ['/code', '/code-review']],
    ['/nothing', []],
    ['/review ', []],
    ['review', []],
    ['', []],
  ])('%j', async (typed, expected) => {
    const found = await texts(typed)
    expect(typed === '/' ? found.sort() : found).toEqual(expected)
  })

  test('tells hint, description and what an alias stands for', async () => {
    const skills = await skillsOf()
    expect(completionsFor(skills, '/review')[0]).toEqual({ text: '/review', hint: '[file]', description: 'Reviews', source: 'project' })
    expect(completionsFor(skills, '/code')[0]).toMatchObject({ text: '/code', aliasOf: 'code-review' })
  })

  test('gives at most so many', async () => expect(await texts('/', 2)).toHaveLength(2))
})
