// Which repositories are found around a workspace, and where the look around ends.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test, vi } from 'vitest'
import { gitGuards } from '../../src/shell/git-guards.ts'
import { innerPlaces, ownPlace } from '../../src/shell/git-places.ts'
import { temporaryFolder } from './support.ts'

function repositoryAt(folder: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
}

function found(workspace: string): string[] {
  return innerPlaces(workspace).places.map(({ git }) => relative(workspace, git))
}

test.each([
  ['x/.git', true],
  ['a/b/c/x/.git', true],
  ['a/b/c/d/x/.git', false],
  ['bare.git', true],
  ['a/b/c/bare', true],
  ['a/b/c/d/bare', false],
  ['node_modules/x/.git', false],
  ['a/node_modules/.git', false],
  ['.claude/skills/x/.git', false],
  ['a/.claude/x/.git', true],
  ['.git/modules/x', false],
])('innerPlaces() finds %s: %s', (name, isFound) => {
  const workspace = temporaryFolder()
  repositoryAt(join(workspace, name))
  expect(found(workspace)).toEqual(isFound ? [name] : [])
})

test('innerPlaces() takes no folder for a repository that has no HEAD, and follows files and links of that name', () => {
  const workspace = temporaryFolder()
  for (const name of ['a/.git', 'b', 'c', 'd']) mkdirSync(join(workspace, name), { recursive: true })
  repositoryAt(join(workspace, 'kept'))
  writeFileSync(join(workspace, 'b/.git'), 'gitdir: ../kept\n')
  symlinkSync('../kept', join(workspace, 'c/.git'))
  symlinkSync('../nowhere', join(workspace, 'd/.git'))
  const { places } = innerPlaces(workspace)
  expect(places.map(({ kind, root, git }) => [kind, relative(workspace, root), relative(workspace, git)])).toEqual([
    ['file', 'b', 'kept'],
    ['link', 'c', 'kept'],
    ['folder', 'kept', 'kept'],
  ])
})

test.each([
  [23, 23, true],
  [24, 24, true],
  [25, 24, false],
])('innerPlaces() of %i repositories gives %i, and all: %s', (count, given, whole) => {
  const workspace = temporaryFolder()
  for (let index = 0; index < count; index += 1) repositoryAt(join(workspace, `r${index}`, '.git'))
  const around = innerPlaces(workspace)
  expect([around.places.length, around.whole]).toEqual([given, whole])
})

test.each([
  [999, true],
  [1_000, false],
])('innerPlaces() looks into the workspace and %i folders: all of them %s', (count, whole) => {
  const workspace = temporaryFolder()
  for (let index = 0; index < count; index += 1) mkdirSync(join(workspace, `f${index}`))
  expect(innerPlaces(workspace).whole).toBe(whole)
})

test('gitGuards() does not forget a repository for many folders that come later', () => {
  const workspace = temporaryFolder()
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    repositoryAt(join(workspace, 'a/b/z/.git'))
    expect(gitGuards(workspace).folders).toEqual([join(workspace, 'a/b/z/.git')])
    for (let index = 0; index < 1_100; index += 1) mkdirSync(join(workspace, `a${index}`))
    for (let round = 0; round < 2; round += 1) {
      vi.advanceTimersByTime(600_000)
      expect(found(workspace)).toEqual([])
      expect(gitGuards(workspace).folders).toEqual([join(workspace, 'a/b/z/.git')])
    }
  } finally {
    vi.useRealTimers()
  }
})

test('gitGuards() finds what came since after some seconds', () => {
  const workspace = temporaryFolder()
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    expect(gitGuards(workspace).folders).toEqual([])
    repositoryAt(join(workspace, 'x/.git'))
    expect(gitGuards(workspace).folders).toEqual([])
    vi.advanceTimersByTime(3_100)
    expect(gitGuards(workspace).folders).toEqual([join(workspace, 'x/.git')])
  } finally {
    vi.useRealTimers()
  }
})

test('gitGuards() of a workspace that is a home names the configuration of the user', () => {
  const workspace = temporaryFolder()
  vi.stubEnv('HOME', workspace)
  vi.stubEnv('XDG_CONFIG_HOME', '')
  writeFileSync(join(workspace, '.gitconfig'), '')
  expect(gitGuards(workspace)).toMatchObject({ paths: [join(workspace, '.gitconfig')], missing: [join(workspace, '.config/git/config')] })
  vi.unstubAllEnvs()
})

test('ownPlace() finds the repository around a workspace, its worktree, and a bare one', () => {
  const root = temporaryFolder()
  repositoryAt(join(root, '.git'))
  mkdirSync(join(root, 'a/b'), { recursive: true })
  expect(ownPlace(join(root, 'a/b'))).toMatchObject({ git: join(root, '.git'), root })
  const worktree = join(root, '.git/worktrees/w')
  mkdirSync(worktree, { recursive: true })
  writeFileSync(join(worktree, 'HEAD'), 'ref: refs/heads/w\n')
  writeFileSync(join(worktree, 'commondir'), '../..\n')
  writeFileSync(join(root, 'a/.git'), `gitdir: ${worktree}\n`)
  expect(ownPlace(join(root, 'a/b'))).toMatchObject({ kind: 'file', git: worktree, common: join(root, '.git'), root: join(root, 'a') })
  repositoryAt(join(root, 'a/b'))
  expect(ownPlace(join(root, 'a/b'))).toMatchObject({ entry: undefined, git: join(root, 'a/b') })
})
