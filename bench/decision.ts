// SPEC R14.3: a decision against parsing and walking the same text, again on the same text, and on the worst texts of 10,000 characters.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseBash, walkNodes } from '../src/bash/parse.ts'
import { decideCommand } from '../src/policy/decide.ts'
import { loadPolicy } from '../src/policy/load.ts'
import { atMost, interleave, type Row, report, shown } from './report.ts'

// Each text once: an answer from a cache would be another number.
const variants = 500
const command = (index: number): string => `git log --oneline -20 --author=n${String(index).padStart(3, '0')} | grep -v merge | wc -l`

async function measure(): Promise<readonly Row[]> {
  const workspace = mkdtempSync(join(tmpdir(), 'skillcell-bench-'))
  try {
    const policy = await loadPolicy({
      workspace,
      home: workspace,
      allow: ['Bash(git log *)', 'Bash(npm test)'],
      ask: ['Bash(git push *)'],
      deny: ['Bash(curl *)', 'Bash(rm *)'],
    })
    const context = { workspace, home: workspace, extraReadDirectories: [], grants: [] }
    const decide = (text: string): unknown => decideCommand(policy, text, context)
    let next = 0
    const fresh = (): string => command(next++)
    // A server decides for hours: the first thousands, which the engine interprets, are another number.
    for (let round = 0; round < 10_000; round++) {
      decide(fresh())
      walkNodes(parseBash(fresh()).script, () => true)
    }
    const times = await interleave(
      21,
      () => microseconds(() => decide(fresh())),
      () => microseconds(() => walkNodes(parseBash(fresh()).script, () => true)),
    )
    const same = 'git log --oneline -20 --author=somebody | grep -v x | wc -l'
    const cached = await interleave(
      21,
      () => microseconds(() => decide(same)),
      () => 0,
    )
    const worst = worstTexts
      .map(text => ({ text, ms: Math.min(...Array.from({ length: 15 }, () => once(() => decide(text)))) }))
      .toSorted((a, b) => b.ms - a.ms)[0]
    return [
      atMost(
        `decision on ${same.length} characters : parse and walk`,
        times.a / times.b,
        2,
        '×',
        `decision ${shown(times.a)} µs, parse and walk ${shown(times.b)} µs`,
      ),
      atMost(`decision on ${same.length} characters`, times.a, 25, 'µs'),
      atMost('the same text again', cached.a, 5, 'µs'),
      atMost('the worst 10,000 characters', worst?.ms ?? Number.NaN, 20, 'ms', `${worst?.text.slice(0, 24)}…`),
    ]
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

const fill = (unit: string, end = ''): string => unit.repeat(Math.floor((10_000 - end.length) / unit.length)) + end

const worstTexts: readonly string[] = [
  fill('a'),
  fill('ls;'),
  fill('a|', 'a'),
  fill('$(', 'a'),
  fill('"$('),
  fill('`a` '),
  fill('a=$b '),
  fill('env '),
  fill('bash -c "'),
  fill('eval ', 'ls'),
  fill('{a,b}'),
  fill('[[ a == b ]] && ', 'ls'),
  fill('if a; then b; fi;'),
  fill('cat <<E\n$x\nE\n'),
  fill('(', ''),
  fill("'x' "),
  fill('*/'),
  fill('cd a && ', 'ls'),
  fill('<a '),
  fill('ls '),
  fill('* '),
  fill('{1..9} '),
  fill('a=1;'),
  fill('a() { b; };'),
  fill('echo $x;'),
  fill('"$(a)" '),
  fill('$`'),
  fill('bash -c ls;'),
  fill('ls | xargs cat | ', 'ls'),
  `echo ${fill('${x:-', '').slice(0, 9_000)}`,
  `find . ${fill('-exec ls {} \\; ').slice(0, 9_900)}`,
]

/** µs of one call, over as many as there are variants. */
function microseconds(call: () => unknown): number {
  const startedAt = performance.now()
  for (let index = 0; index < variants; index += 1) call()
  return ((performance.now() - startedAt) * 1_000) / variants
}

function once(call: () => unknown): number {
  const startedAt = performance.now()
  call()
  return performance.now() - startedAt
}

await report('decision', measure)
