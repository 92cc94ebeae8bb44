// What a command of a cell may change in the folder of a repository: what git writes by itself, and nothing that makes git run a program
// for the user afterwards (SPEC R17.10).

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { type TestBroker, testBroker, until } from './support.ts'

function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd, env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: cwd }, encoding: 'utf8' })
}

function repository(): TestBroker {
  const made = testBroker({ sandbox: 'required' })
  git(made.cwd, 'init', '-q', '-b', 'main')
  git(made.cwd, 'config', 'user.name', 'a')
  git(made.cwd, 'config', 'user.email', 'a@b')
  writeFileSync(join(made.cwd, 'file'), 'one\n')
  git(made.cwd, 'add', 'file')
  git(made.cwd, 'commit', '-q', '-m', 'one')
  return made
}

// Would make `git status` write a file, if it were obeyed.
const evil = (place: string) => `printf '[core]\\n\\tfsmonitor = "echo x >ran; false"\\n' >${place}`

describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  test.each([
    [
      'another common folder',
      `cp -r .git/objects .git/refs . 2>/dev/null; mkdir -p fake && cp -r .git/. fake/ && ${evil('fake/config')}; echo ../fake >.git/commondir`,
    ],
    ['its common folder by rename', 'echo ../fake >new && mv -f new .git/commondir'],
    ['its common folder by a link', 'rm -f .git/commondir; ln -s ../fake .git/commondir'],
    ['configuration of a worktree', evil('.git/config.worktree')],
    ['configuration', evil('.git/config')],
    ['configuration, by its lock', 'cp .git/config .git/config.lock && mv .git/config.lock .git/config'],
    ['configuration, by git', 'git config core.fsmonitor ./evil'],
    ['a hook', 'mkdir -p .git/hooks; echo x >.git/hooks/post-checkout'],
    ['configuration of a module', `mkdir -p .git/modules/m && ${evil('.git/modules/m/config')}`],
    ['a worktree', 'mkdir -p .git/worktrees/w && echo x >.git/worktrees/w/gitdir'],
    ['another worktree, by git', 'git worktree add -q other'],
    ['an entry that nobody knows', 'echo x >.git/unknown'],
    ['an old remote', 'echo x >.git/branches/origin'],
    ['the folder', 'mv .git away'],
  ])('run() lets no command change %s', async (_what, script) => {
    const { run, cwd } = repository()
    mkdirSync(join(cwd, '.git/branches'), { recursive: true })
    writeFileSync(join(cwd, '.git/unknown'), 'as before')
    const config = readFileSync(join(cwd, '.git/config'), 'utf8')
    expect((await run(script)).exitCode).not.toBe(0)
    git(cwd, 'status')
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect(readFileSync(join(cwd, '.git/config'), 'utf8')).toBe(config)
    expect(readFileSync(join(cwd, '.git/unknown'), 'utf8')).toBe('as before')
    expect(readdirSync(join(cwd, '.git/hooks')).filter(name => !name.endsWith('.sample'))).toEqual([])
  })

  const bare = `mkdir -p objects refs && echo 'ref: refs/heads/main' >HEAD && ${evil('config')} && printf '\\tbare = false\\n\\tworktree = .\\n' >>config`

  test.each([
    ['in place of the one that is there', true, `rm .git/HEAD && ${bare}`],
    ['where there is none', false, bare],
    ['in the end only', false, `mkdir objects refs && echo x >new && ${bare.replaceAll('HEAD', 'new')} && mv new HEAD`],
    ['again and again', false, `${bare}; while :; do mv HEAD.* HEAD; done 2>/dev/null`],
  ])('run() lets no command make the workspace itself a repository, %s', async (_what, isRepository, script) => {
    const { run, cwd } = isRepository ? repository() : testBroker({ sandbox: 'required' })
    expect(await run(script, { timeoutMs: 15_000 })).toMatchObject({ reason: 'killed', note: expect.stringContaining('repository') })
    try {
      git(cwd, 'status')
    } catch {
      // There is none.
    }
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect(existsSync(join(cwd, 'HEAD'))).toBe(false)
  })

  test('run() leaves a workspace that is a bare repository alone', async () => {
    const { run, cwd } = testBroker({ sandbox: 'required' })
    git(cwd, 'init', '-q', '--bare', '.')
    expect(await run('echo x; test -f HEAD')).toMatchObject({ output: 'x', exitCode: 0 })
  })

  test('run() keeps nothing of what is written beside the files of .git/info', async () => {
    const { run, cwd } = repository()
    mkdirSync(join(cwd, '.git/info'), { recursive: true })
    writeFileSync(join(cwd, '.git/info/exclude'), 'ignored\n')
    await run('echo "* filter=evil" >.git/info/attributes')
    expect((await run('echo x >.git/info/exclude')).exitCode).not.toBe(0)
    expect(readdirSync(join(cwd, '.git/info'))).toEqual(['exclude'])
    expect(await run('touch ignored && git status --short')).toMatchObject({ output: '' })
  })

  test('run() lets git work', async () => {
    const { run, cwd, broker } = repository()
    for (const script of [
      'git status --short',
      'echo two >>file && git add file && git commit -q -m two',
      'git checkout -q -b other && echo three >>file && git commit -q -a -m three',
      'git switch -q main && git merge -q other',
      'echo four >>file && git stash -q && git stash pop -q && git checkout -q -- file',
      'git tag one other && git branch copy && git pack-refs --all',
      'git rebase -q HEAD~1 && git reset -q --hard HEAD~1 && git cherry-pick one',
      'git clone -q . copy && git fetch -q ./copy main && rm -rf copy',
      'git gc -q && git fsck && git worktree list ',
    ]) {
      const { exitCode, output } = await run(script, { stderr: 'merged' })
      expect({ script, exitCode, output: exitCode === 0 ? '' : output }).toEqual({ script, exitCode: 0, output: '' })
    }
    expect(git(cwd, 'log', '--format=%s').split('\n')).toEqual(['three', 'two', 'one', ''])
    await broker.close()
    await until(() => !existsSync(join(cwd, '.git/commondir')))
    for (const name of ['config.worktree', 'modules', 'worktrees']) expect(existsSync(join(cwd, '.git', name)), name).toBe(false)
    expect(git(cwd, 'status', '--short')).toBe('')
  })

  test("run() leaves the user's own git at work while its stand-ins are there", async () => {
    const { run, cwd } = repository()
    await run('true')
    expect(existsSync(join(cwd, '.git/commondir'))).toBe(true)
    expect(git(cwd, 'status', '--short')).toBe('')
    expect(git(cwd, 'rev-parse', '--git-common-dir').trim()).toBe(realpathSync(join(cwd, '.git')))
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'two')
    git(cwd, 'config', 'user.name', 'somebody')
    expect((await run('git config user.name')).output).toBe('somebody')
  })
})

describe.runIf(sandboxProblem() === undefined)('links in protected folders, in a cell', () => {
  test.each([
    ['a folder of skills', '.claude/skills', 'shared/skills', 'mkdir shared/skills/z && echo x >shared/skills/z/SKILL.md'],
    ['its parent', '.claude/skills', 'shared/skills', 'mv shared away'],
    ['far down', '.claude/commands', 'a/b/c', 'mv a/b away || echo x >a/b/c/z.md'],
    ['a skill', '.claude/skills/one', 'made/one', 'echo x >made/one/SKILL.md'],
    ['a skill of a linked folder', '.agents/skills/two', 'made/two', 'rm -rf made/two/* && echo x >made/two/SKILL.md'],
    ['what is not there', '.wave/skills', 'later/skills', 'mkdir -p later/skills/z'],
    ['what is not there in a folder that is', '.wave/skills', 'file.d/skills', 'mkdir -p file.d/skills/z'],
  ])('run() protects what links lead to: %s', async (_what, link, target, script) => {
    const { run, cwd, broker } = testBroker({ sandbox: 'required' })
    mkdirSync(join(cwd, link, '..'), { recursive: true })
    mkdirSync(join(cwd, 'file.d'))
    if (link !== '.wave/skills') mkdirSync(join(cwd, target), { recursive: true })
    symlinkSync(join(cwd, target), join(cwd, link))
    expect((await run(script)).exitCode).not.toBe(0)
    expect(await run('echo x >file.d/y; mkdir -p own && cat file.d/y')).toMatchObject({ output: 'x' })
    await broker.close()
    expect(existsSync(join(cwd, link))).toBe(link !== '.wave/skills')
    if (link !== '.wave/skills') expect(readdirSync(join(cwd, target))).toEqual([])
    expect(existsSync(join(cwd, 'later'))).toBe(false)
  })

  test('run() protects the file of a skill that is a link', async () => {
    const { run, cwd } = testBroker({ sandbox: 'required' })
    mkdirSync(join(cwd, '.claude/skills/a'), { recursive: true })
    writeFileSync(join(cwd, 'text.md'), 'text')
    symlinkSync('../../../text.md', join(cwd, '.claude/skills/a/SKILL.md'))
    for (const script of ['echo x >text.md', 'rm text.md', 'echo x >new && mv -f new text.md'])
      expect((await run(script)).exitCode, script).not.toBe(0)
    expect(readFileSync(join(cwd, 'text.md'), 'utf8')).toBe('text')
  })
})
