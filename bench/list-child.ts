// A fresh process of bench/list.ts: lists a workspace, with or without a head cache, again, and after an edit; or reads and parses the
// same heads plainly. Prints ms.

import { appendFileSync, closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

const [what, workspace = '', cacheFolder] = process.argv.slice(2)

if (what === 'list') {
  const { createRuntime } = await import('../src/runtime.ts')
  const startedAt = performance.now()
  const runtime = await createRuntime({ cwd: workspace, home: join(workspace, 'home'), disableBundledSkills: true })
  const { skills } = await runtime.list()
  print(performance.now() - startedAt, skills.length)
  await runtime.close()
} else if (what === 'catalog') {
  const { list } = await openCatalog()
  const startedAt = performance.now()
  const count = await list()
  print(performance.now() - startedAt, count)
} else if (what === 'warm' || what === 'edit') {
  const { list, catalog } = await openCatalog()
  const count = await list()
  const path = join(workspace, '.skillcell', 'skills', 'skill-0000', 'SKILL.md')
  if (what === 'edit') appendFileSync(path, 'One more line.\n')
  const startedAt = performance.now()
  await catalog.list()
  print(performance.now() - startedAt, count)
} else if (what === 'stats') {
  const root = join(workspace, '.skillcell', 'skills')
  const paths = readdirSync(root).map(name => join(root, name, 'SKILL.md'))
  for (const path of paths) lstatSync(path)
  const startedAt = performance.now()
  for (const path of paths) lstatSync(path)
  print(performance.now() - startedAt, paths.length)
} else {
  const { parse } = await import('yaml')
  const startedAt = performance.now()
  const root = join(workspace, '.skillcell', 'skills')
  const buffer = Buffer.alloc(4_096)
  let count = 0
  for (const name of readdirSync(root)) {
    const file = openSync(join(root, name, 'SKILL.md'), 'r')
    const text = buffer.toString('utf8', 0, readSync(file, buffer))
    closeSync(file)
    const fields: unknown = parse(text.slice(4, text.indexOf('\n---', 4)))
    if (fields) count += 1
  }
  print(performance.now() - startedAt, count)
}

async function openCatalog() {
  const [{ createCatalog }, { dialects }, { resolveLimits }, { entriesOf }] = await Promise.all([
    import('../src/skills/catalog.ts'),
    import('../src/dialect.ts'),
    import('../src/limits.ts'),
    import('../src/list-entries.ts'),
  ])
  const limits = resolveLimits({}, 'skillcell')
  const catalog = createCatalog({
    workspace,
    home: join(workspace, 'home'),
    plugins: [],
    precedence: dialects.skillcell.precedence,
    disableAgentSkillsDirectory: false,
    limits,
    ...(cacheFolder !== undefined && { cacheFolder }),
  })
  const list = async (): Promise<number> => entriesOf((await catalog.list()).skills, {}, limits.listingBudgetChars).skills.length
  return { catalog, list }
}

function print(ms: number, count: number): void {
  console.log(JSON.stringify({ ms, count }))
}
