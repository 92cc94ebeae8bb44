import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { repositoryProblem } from '../../src/policy/repository.ts'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeEach(() => {
  place = createPlace()
  execFileSync('git', ['init', '-q', place.workspace])
})
afterEach(() => place.remove())

describe('git is trusted to read only where its configuration names no program', () => {
  test.each([
    ['core', 'fsmonitor', './mark'],
    ['core', 'pager', './mark'],
    ['core', 'hooksPath', '.'],
    ['core', 'sshCommand', './mark'],
    ['diff', 'external', './mark'],
    ['diff "x"', 'textconv', './mark'],
    ['filter "x"', 'clean', './mark'],
    ['filter "x"', 'process', './mark'],
    ['alias', 'status', '!./mark'],
    ['include', 'path', '../other'],
    ['includeIf "gitdir:/"', 'path', '../other'],
    ['pager', 'status', './mark'],
    ['gpg', 'program', './mark'],
    ['extensions', 'worktreeConfig', 'true'],
    ['unheard', 'of', 'x'],
  ])('[%s] %s', async (section, key, value) => {
    expect((await place.decide('git status')).decision).toBe('allow')
    place.write('.git/config', `[core]\n\tbare = false\n[${section}]\n\t${key} = ${value}\n`)
    const answer = await place.decide('git status')
    expect(answer.decision).toBe('ask')
    expect(answer.reason.toLowerCase()).toContain(key.toLowerCase())
    // A rule that a person wrote still holds.
    expect((await place.decide('git status', { allow: ['Bash(git status *)'] })).decision).toBe('allow')
  })

  test.each([
    ['what git writes itself', ''],
    [
      'a remote and a branch',
      '[remote "origin"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
    ],
    ['a name', '[user]\n\tname = A\n\temail = a@example.com\n'],
    ['comments and continued lines', '# x = y\n; z\n[user]\n\tname = A \\\n\tfsmonitor\n'],
  ])('%s is harmless', (_what, config) => {
    place.write(
      '.git/config',
      `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n${config}`,
    )
    expect(repositoryProblem(place.workspace)).toBeUndefined()
  })

  test.each([
    ['a comment', '# x \\'],
    ['the comment behind a value', 'bare = false ; x \\'],
    ['two backslashes', 'abbrev = 7\\\\'],
    ['the comment behind a continued value', 'abbrev = 7 \\\n # \\'],
  ])('a backslash at the end of %s hides nothing', (_what, line) => {
    place.write('.git/config', `[core]\n\t${line}\n\tfsmonitor = ./mark\n`)
    expect(repositoryProblem(place.workspace)).toBeDefined()
  })

  test('a key on the line of its section is seen', () => {
    place.write('.git/config', '[core] fsmonitor = ./mark\n')
    expect(repositoryProblem(place.workspace)).toContain('fsmonitor')
  })

  test('a worktree has the configuration of its repository', () => {
    place.write('a', '')
    const git = (...words: readonly string[]): unknown =>
      execFileSync('git', ['-C', place.workspace, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'ignore' })
    git('add', 'a')
    git('commit', '-qm', 'a')
    git('worktree', 'add', '-q', `${place.root}/tree`)
    expect(repositoryProblem(`${place.root}/tree`)).toBeUndefined()
    git('config', 'core.fsmonitor', './mark')
    expect(repositoryProblem(`${place.root}/tree`)).toContain('fsmonitor')
  })

  test('a folder below, a broken link file, and no repository at all', () => {
    place.write('below/x', '')
    expect(repositoryProblem(`${place.workspace}/below`)).toBeUndefined()
    place.write('.git/config', '[diff]\n\texternal = ./mark\n')
    expect(repositoryProblem(`${place.workspace}/below`)).toContain('external')
    expect(repositoryProblem(place.home)).toBeUndefined()
    place.write(`${place.home}/.git`, 'nonsense')
    expect(repositoryProblem(place.home)).toBeDefined()
  })
})
