import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { repositoryProblem } from '../../src/policy/repository.ts'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeEach(() => {
  place = createPlace()
  git(place.workspace, 'init', '-q')
})
afterEach(() => place.remove())

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'ignore' })
}

/** A repository in a folder below, which the index of the one around it knows. */
function embed(outer: string, name: string): string {
  const inner = join(outer, name)
  mkdirSync(inner, { recursive: true })
  git(inner, 'init', '-q')
  git(inner, 'commit', '-qm', 'a', '--allow-empty')
  git(outer, 'add', name)
  return inner
}

const bad = '[core]\n\tfsmonitor = ./mark\n'

describe('git starts what the configuration of a repository in the repository names', () => {
  test.each(['git status', 'git diff', 'git -C . status', 'git diff-files', 'git describe --dirty'])('%s', async command => {
    const inner = embed(place.workspace, 'lib/deep')
    expect((await place.decide(command)).decision).toBe('allow')
    writeFileSync(join(inner, '.git/config'), bad)
    const answer = await place.decide(command)
    expect(answer.decision).toBe('ask')
    expect(answer.reason).toContain('fsmonitor')
    expect(answer.reason).toContain('lib/deep')
  })

  test('one in one in one', () => {
    const inner = embed(place.workspace, 'one')
    const third = embed(inner, 'two')
    git(place.workspace, 'add', 'one')
    expect(repositoryProblem(place.workspace)).toBeUndefined()
    writeFileSync(join(third, '.git/config'), bad)
    expect(repositoryProblem(place.workspace)).toContain('fsmonitor')
  })

  test('one whose folder was moved to .git/modules', () => {
    const inner = embed(place.workspace, 'lib')
    mkdirSync(join(place.workspace, '.git/modules/a'), { recursive: true })
    cpSync(join(inner, '.git'), join(place.workspace, '.git/modules/a/lib'), { recursive: true })
    rmSync(join(inner, '.git'), { recursive: true })
    writeFileSync(join(inner, '.git'), 'gitdir: ../.git/modules/a/lib\n')
    expect(repositoryProblem(place.workspace)).toBeUndefined()
    writeFileSync(join(place.workspace, '.git/modules/a/lib/config'), bad)
    expect(repositoryProblem(place.workspace)).toContain('fsmonitor')
    // Not checked out any more, but still found by name.
    rmSync(join(inner, '.git'))
    expect(repositoryProblem(place.workspace)).toContain('fsmonitor')
  })

  test('an index that shares entries with another file, is sparse, or of the newest version', () => {
    const inner = embed(place.workspace, 'lib')
    writeFileSync(join(inner, '.git/config'), bad)
    git(place.workspace, 'update-index', '--split-index')
    expect(repositoryProblem(place.workspace)).toBeDefined()
    git(place.workspace, 'update-index', '--no-split-index', '--index-version', '4')
    rmSync(join(place.workspace, '.git'), { recursive: true })
    git(place.workspace, 'init', '-q')
    git(place.workspace, 'add', 'lib')
    git(place.workspace, 'update-index', '--index-version', '4')
    expect(repositoryProblem(place.workspace)).toBeDefined()
  })

  test('more than can be looked at', () => {
    for (let count = 0; count < 70; count += 1) {
      const folder = join(place.workspace, `.git/modules/m${count}`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    }
    expect(repositoryProblem(place.workspace)).toContain('too many')
  })

  test('one that the index does not know is nothing to git', () => {
    mkdirSync(join(place.workspace, 'lib'))
    git(join(place.workspace, 'lib'), 'init', '-q')
    writeFileSync(join(place.workspace, 'lib/.git/config'), bad)
    for (let count = 0; count < 5; count += 1) place.write(`f${count}`, 'x'.repeat(0xe000))
    git(place.workspace, 'add', 'f0', 'f1', 'f2', 'f3', 'f4')
    expect(repositoryProblem(place.workspace)).toBeUndefined()
  })

  // The trees of older commits are not looked at, so what compares submodules in them is asked.
  test.each([
    'git diff --submodule=diff',
    'git diff --submodule=log HEAD~1',
    'git log -p --submodule=diff',
    'git log -p --submodule',
    'git show --submodule=short',
    'git diff-tree -p --submodule=diff HEAD',
  ])('%s', async command => {
    expect((await place.decide(command)).decision).toBe('ask')
  })

  test.each(['[diff]\n\tsubmodule = diff\n', '[status]\n\tsubmoduleSummary = true\n'])('%j', config => {
    place.write('.git/config', config)
    expect(repositoryProblem(place.workspace)).toBeDefined()
  })
})

describe('repositoryProblem() finds the repository that git finds', () => {
  test.each([
    ['an empty folder', (folder: string) => mkdirSync(join(folder, '.git'))],
    [
      'one without objects',
      (folder: string) => {
        mkdirSync(join(folder, '.git/refs'), { recursive: true })
        writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n')
      },
    ],
    [
      'one whose HEAD is none',
      (folder: string) => {
        for (const name of ['refs', 'objects']) mkdirSync(join(folder, '.git', name), { recursive: true })
        writeFileSync(join(folder, '.git/HEAD'), 'nothing\n')
      },
    ],
  ])('%s named .git hides nothing', async (_what, make) => {
    const below = join(place.workspace, 'below')
    mkdirSync(below)
    make(below)
    expect(repositoryProblem(below)).toBeUndefined()
    writeFileSync(join(place.workspace, '.git/config'), bad)
    expect(repositoryProblem(below)).toContain('fsmonitor')
    expect((await place.decide('cd below && git status')).decision).toBe('ask')
  })

  test('an empty .git in the workspace does not hide what lies above it', async () => {
    rmSync(join(place.workspace, '.git'), { recursive: true })
    mkdirSync(join(place.workspace, '.git'))
    git(place.root, 'init', '-q')
    expect(repositoryProblem(place.workspace)).toBeUndefined()
    writeFileSync(join(place.root, '.git/config'), bad)
    expect((await place.decide('git status')).decision).toBe('ask')
  })

  test('a folder that is a bare repository itself', async () => {
    const bare = join(place.workspace, 'bare')
    git(place.workspace, 'init', '-q', '--bare', bare)
    expect(repositoryProblem(bare)).toBeUndefined()
    writeFileSync(join(bare, 'config'), bad)
    expect(repositoryProblem(bare)).toContain('fsmonitor')
    expect((await place.decide('git -C bare diff')).decision).toBe('ask')
  })

  test('a link file is read as git reads it', () => {
    const below = join(place.workspace, 'below')
    mkdirSync(below)
    mkdirSync(join(place.workspace, 'real '))
    writeFileSync(join(place.workspace, 'real /config'), bad)
    for (const text of ['x\ngitdir: ../.git\n', 'gitdir: ../real \n', 'gitdir:../.git\n']) {
      writeFileSync(join(below, '.git'), text)
      expect(repositoryProblem(below), text).toBeDefined()
    }
  })

  test('a pipe in the place of a file does not hang', () => {
    rmSync(join(place.workspace, '.git/config'))
    execFileSync('mkfifo', [join(place.workspace, '.git/config')])
    expect(repositoryProblem(place.workspace)).toBeDefined()
    rmSync(join(place.workspace, '.git/config'))
    execFileSync('mkfifo', [join(place.workspace, '.git/index')])
    expect(repositoryProblem(place.workspace)).toBeDefined()
  })
})
