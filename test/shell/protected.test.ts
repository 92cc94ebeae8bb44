// What grants something to later runs cannot be made or changed by a command, also where it does not exist yet (SPEC R17.10, R17.9).

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { describe, expect, test } from 'vitest'
import { createPlaceholders, protectedPaths } from '../../src/shell/placeholders.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { type TestBroker, temporaryFolder, testBroker, until } from './support.ts'

const cellBroker = (): TestBroker => testBroker({ sandbox: 'required' })

const attacks: readonly string[] = [
  ...['.claude', '.skillcell', '.wave', '.agents'].flatMap(home => [
    `mkdir -p ${home}/skills/x && echo x >${home}/skills/x/SKILL.md`,
    `mkdir -p ${home}/commands && echo x >${home}/commands/x.md`,
    `mkdir ${home}/agents`,
    `echo x >${home}/settings.json`,
    `rmdir ${home} && mkdir ${home} ${home}/skills`,
    `mkdir new && mkdir new/skills && mv new ${home}`,
    `mkdir -p new && ln -sfn new ${home} && [ -L ${home} ]`,
  ]),
  'mkdir -p new/skills && mv -T new .claude',
  'mv .claude away',
  'echo x >.skillcell/policy.yaml',
  'echo x >.skillcell/config.yaml',
  'echo {} >.mcp.json',
  'rm -rf .mcp.json && echo {} >.mcp.json',
  'echo {} >new && mv -T new .mcp.json',
  'mkdir -p .git/hooks && echo x >.git/hooks/pre-commit',
  'echo x >.git/config',
  'mv .git away',
  'rm -rf .git && mkdir .git',
  'git init -q .',
  'umount .claude || umount -l .claude',
  'python3 -c \'import os; os.rename(".claude", "away")\'',
  'cp -r /usr/share/doc/bash .claude/skills',
]

describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  test('run() lets no command make what grants something and is not there', async () => {
    const { run, cwd } = cellBroker()
    for (const script of attacks) {
      expect((await run(script)).exitCode, script).not.toBe(0)
      for (const path of protectedPaths(cwd)) expect(readdirSync(path), `${script}: ${path}`).toEqual([])
      rmSync(join(cwd, 'new'), { recursive: true, force: true })
    }
    expect(existsSync(join(cwd, 'away'))).toBe(false)
  })

  test('run() lets no command change what grants something and is there, or lay a parent aside', async () => {
    const { run, cwd } = cellBroker()
    for (const folder of ['.git', '.claude/skills/a', '.skillcell', '.wave', '.agents']) mkdirSync(join(cwd, folder), { recursive: true })
    for (const file of [
      '.git/HEAD',
      '.git/config',
      '.claude/skills/a/SKILL.md',
      '.claude/settings.json',
      '.skillcell/policy.yaml',
      '.mcp.json',
    ])
      writeFileSync(join(cwd, file), 'text')
    for (const script of [
      ...attacks.filter(script => !/^git init|rm -rf \.git/.test(script)),
      'echo x >.claude/skills/a/SKILL.md',
      'rm .claude/settings.json',
      'ln -sf /etc/passwd .skillcell/policy.yaml && readlink .skillcell/policy.yaml',
      'chmod 777 .mcp.json',
      'touch .git/hooks/x',
      'rmdir .git/hooks && mkdir .git/hooks',
    ]) {
      expect((await run(script)).exitCode, script).not.toBe(0)
      rmSync(join(cwd, 'new'), { recursive: true, force: true })
    }
    expect(readdirSync(join(cwd, '.git')).sort()).toEqual([
      ...['HEAD', 'commondir', 'config', 'config.worktree', 'hooks', 'info', 'modules', 'worktrees'],
    ])
    expect(readFileSync(join(cwd, '.git/config'), 'utf8')).toBe('text')
    expect(readdirSync(join(cwd, '.claude/skills'))).toEqual(['a'])
    expect(await run('touch .git/index && echo ok')).toMatchObject({ output: 'ok' })
  })

  test('run() protects the file that leads to a repository elsewhere, and what a link leads to', async () => {
    const { run, cwd } = cellBroker()
    writeFileSync(join(cwd, '.git'), 'gitdir: /nowhere')
    mkdirSync(join(cwd, 'shared'))
    symlinkSync('shared', join(cwd, '.claude'))
    for (const script of ['echo x >.git', 'rm -f .git', 'mv .git away', 'mkdir .claude/skills', 'mkdir shared/skills', 'mv shared away'])
      expect((await run(script)).exitCode, script).not.toBe(0)
    expect(readdirSync(cwd).sort()).toEqual(['.agents', '.claude', '.git', '.mcp.json', '.skillcell', '.wave', 'shared'])
  })

  test.each([
    'rm .claude && mkdir -p .claude/skills/x && echo x >.claude/skills/x/SKILL.md',
    'ln -sfn evil .claude; mkdir -p evil/skills; sleep 30',
    'mv .claude away && cp -r evil .claude; sleep 30',
    'while :; do rm -f .claude; mkdir -p .claude/skills; done',
    'mkdir -p nowhere/skills',
  ])('run() puts a protected link back that %j replaced, and ends the command', async script => {
    const { run, cwd } = cellBroker()
    mkdirSync(join(cwd, 'shared/skills'), { recursive: true })
    mkdirSync(join(cwd, 'evil/skills'), { recursive: true })
    symlinkSync('shared', join(cwd, '.claude'))
    symlinkSync('nowhere', join(cwd, '.agents'))
    expect(await run('echo x >new; ls -d .claude/skills')).toMatchObject({ output: '.claude/skills', exitCode: 0 })
    const result = await run(script, { timeoutMs: 15_000 })
    expect(result).toMatchObject({ reason: 'killed', note: expect.stringContaining('is protected; it was put back') })
    expect(readlinkSync(join(cwd, '.claude'))).toBe('shared')
    expect(readdirSync(join(cwd, '.claude/skills'))).toEqual([])
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
    expect(await run('echo next')).toMatchObject({ output: 'next' })
  })

  test('run() leaves its stand-ins in the workspace for some seconds only', async () => {
    const { run, cwd } = cellBroker()
    await run('true')
    expect(readdirSync(cwd)).toContain('.claude')
    await until(() => readdirSync(cwd).length === 0)
    expect(await run('mkdir .claude/skills || echo refused')).toMatchObject({ output: 'refused' })
  })

  test('close() leaves nothing in the workspace but what somebody put there', async () => {
    const { broker, run, cwd } = cellBroker()
    await run('touch made')
    mkdirSync(join(cwd, '.agents/skills'))
    await broker.close()
    expect(readdirSync(cwd).sort()).toEqual(['.agents', 'made'])
  })

  test('run() shows at once what the user made since, read-only', async () => {
    const { run, cwd } = cellBroker()
    await run('true')
    mkdirSync(join(cwd, '.claude/skills'))
    rmSync(join(cwd, '.mcp.json'), { recursive: true })
    writeFileSync(join(cwd, '.mcp.json'), 'text')
    expect(await run('ls .claude; cat .mcp.json; echo; echo x >.mcp.json || mkdir .claude/x || echo refused')).toMatchObject({
      output: 'skills\ntext\nrefused',
    })
  })
})

test('createPlaceholders() leaves nothing behind when its process is killed', async () => {
  const workspace = join(temporaryFolder(), "a b'\\c")
  mkdirSync(workspace)
  const folder = temporaryFolder()
  const entry = fileURLToPath(new URL('../../src/shell/placeholders.ts', import.meta.url))
  await build({
    configFile: false,
    logLevel: 'silent',
    build: { ssr: entry, outDir: folder, rollupOptions: { output: { entryFileNames: 'placeholders.mjs' } } },
  })
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `const { createPlaceholders } = await import(process.argv[3])
    createPlaceholders().hold(process.argv[2]); console.log('held'); setInterval(() => {}, 1000)`,
  )
  const child = spawn(process.execPath, [program, workspace, join(folder, 'placeholders.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  expect(readdirSync(workspace)).toContain('.claude')
  child.kill('SIGKILL')
  await until(() => readdirSync(workspace).length === 0)
})

test('createPlaceholders() removes when the last hold is released, and makes again what went', () => {
  const workspace = temporaryFolder()
  const placeholders = createPlaceholders()
  placeholders.hold(workspace)
  placeholders.hold(workspace)
  placeholders.release(workspace)
  expect(readdirSync(workspace).sort()).toEqual(['.agents', '.claude', '.git', '.mcp.json', '.skillcell', '.wave'])
  rmSync(join(workspace, '.wave'), { recursive: true })
  placeholders.hold(workspace)
  expect(existsSync(join(workspace, '.wave'))).toBe(true)
  placeholders.release(workspace)
  placeholders.release(workspace)
  expect(readdirSync(workspace)).toEqual([])
  placeholders.close()
})
