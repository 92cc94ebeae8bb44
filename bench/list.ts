// SPEC R14.2: a list of 5,000 skills in a fresh process, with the pages in memory: cold, against reading and parsing the same heads;
// with the head cache; again in the same process, against the stats alone; and after one edit.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { atLeast, atMost, interleave, type Row, report, shown } from './report.ts'

const skills = 5_000

async function measure(): Promise<readonly Row[]> {
  const workspace = mkdtempSync(join(tmpdir(), 'skillcell-bench-'))
  const caches = mkdtempSync(join(tmpdir(), 'skillcell-bench-cache-'))
  try {
    mkdirSync(join(workspace, 'home'))
    for (let index = 0; index < skills; index += 1) writeSkill(workspace, `skill-${String(index).padStart(4, '0')}`)
    const inFreshProcess = (what: string, ...more: readonly string[]): number => {
      const told: unknown = JSON.parse(
        execFileSync(process.execPath, [join(packageRoot, 'dist', 'bench', 'list-child.js'), what, workspace, ...more], {
          encoding: 'utf8',
          // A cache of this run only, and none for a cold list.
          env: { ...process.env, XDG_CACHE_HOME: mkdtempSync(join(caches, 'cold-')) },
        }),
      )
      if (typeof told !== 'object' || told === null || !('ms' in told) || !('count' in told) || typeof told.ms !== 'number')
        throw new Error('the child told nothing')
      if (told.count !== skills) throw new Error(`${what} found ${told.count} of ${skills}`)
      return told.ms
    }
    const times = await interleave(
      5,
      () => inFreshProcess('list'),
      () => inFreshProcess('read'),
    )
    // By now the files are old enough to be kept.
    const cacheFolder = join(caches, 'kept')
    const cached = await interleave(
      5,
      () => inFreshProcess('catalog', cacheFolder),
      () => inFreshProcess('catalog'),
    )
    const warm = await interleave(
      5,
      () => inFreshProcess('warm'),
      () => inFreshProcess('stats'),
    )
    const edited = await interleave(
      5,
      () => inFreshProcess('edit'),
      () => inFreshProcess('warm'),
    )
    return [
      atMost(
        `cold list of ${skills} skills : read and parse their heads`,
        times.a / times.b,
        1.3,
        '×',
        `list ${shown(times.a)} ms, read and parse ${shown(times.b)} ms`,
      ),
      atLeast('cold list', (skills / times.a) * 1_000, 7_000, 'skills/s'),
      atLeast(
        'list with the head cache',
        (skills / cached.a) * 1_000,
        40_000,
        'skills/s',
        `with ${shown(cached.a)} ms, without ${shown(cached.b)} ms`,
      ),
      atMost(
        'list again in one process : the stats alone',
        warm.a / warm.b,
        1.5,
        '×',
        `list ${shown(warm.a)} ms, stats ${shown(warm.b)} ms`,
      ),
      atMost(
        'list after one edit : list with none',
        edited.a / edited.b,
        5,
        '×',
        `after an edit ${shown(edited.a)} ms, without ${shown(edited.b)} ms`,
      ),
    ]
  } finally {
    for (const folder of [workspace, caches]) rmSync(folder, { recursive: true, force: true })
  }
}

function writeSkill(workspace: string, name: string): void {
  const folder = join(workspace, '.skillcell', 'skills', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'SKILL.md'),
    `---\nname: ${name}\ndescription: Does the work of ${name}. Use when somebody asks for it by name or by what it does.\nallowed-tools: Read, Bash(git log *)\nargument-hint: "[file]"\n---\n# ${name}\n\nLook at $1.\n${'Some more text of the body.\n'.repeat(40)}`,
  )
}

await report('list', measure)
