// Repositories inside a repository: which an index names, and that no command makes or changes one that the user's git goes into (SPEC R17.10).

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gitLinks } from '../../src/shell/git-links.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { temporaryFolder, testBroker } from './support.ts'

function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

function fillRepository(cwd: string): void {
  git(cwd, 'init', '-q', '-b', 'main')
  git(cwd, 'config', 'user.name', 'a')
  git(cwd, 'config', 'user.email', 'a@b')
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'one')
}

test.each(['2', '3', '4'])('gitLinks() reads an index of version %s', version => {
  const cwd = temporaryFolder()
  fillRepository(cwd)
  for (const name of ['a', 'a-longer', 'deep/in/b', 'z', 'ä']) {
    mkdirSync(join(cwd, name), { recursive: true })
    fillRepository(join(cwd, name))
  }
  for (let length = 1; length < 20; length += 1) writeFileSync(join(cwd, `f${'x'.repeat(length)}`), '')
  writeFileSync(join(cwd, 'y'.repeat(200)), '')
  git(cwd, 'add', '-A')
  if (version === '3') {
    writeFileSync(join(cwd, 'later'), '')
    git(cwd, 'add', '-N', 'later')
  }
  git(cwd, 'update-index', '--index-version', version)
  const index = readFileSync(join(cwd, '.git/index'))
  expect(index.readUInt32BE(4)).toBe(Number(version))
  expect(gitLinks(index)).toEqual(['a', 'a-longer', 'deep/in/b', 'z', 'ä'])
})

test('gitLinks() ends with any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(2, 3, 4), (bytes, version) => {
      const head = Buffer.from([0x44, 0x49, 0x52, 0x43, 0, 0, 0, version, 255, 255, 255, 255])
      gitLinks(Buffer.concat([head, bytes]))
      expect(gitLinks(Buffer.from(bytes))).toEqual([])
    }),
  )
})

describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  const evil = `printf '[core]\\n\\tfsmonitor = "echo x >../ran; false"\\n' >>`
  // So far down that no look around finds it, and no mount guards it.
  const deep = 'a/b/c/d/e'
  const make = 'git init -q -b main new && git -C new -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1'

  test.each([
    ['makes one', `${make} && ${evil}new/.git/config && git add new`],
    ['makes one in two steps', `${make} && ${evil}new/.git/config`, 'git add new'],
    ['changes one that is there', `cd ${deep}; ${evil}inner/.git/config`],
    [
      'gives one a hook',
      `cd ${deep}; printf '#!/bin/sh\necho x >../ran\n' >inner/.git/hooks/post-index-change; chmod +x inner/.git/hooks/post-index-change`,
    ],
    ['replaces one that is there', `cd ${deep}; rm -rf inner/.git && git init -q inner && ${evil}inner/.git/config`],
    [
      'brings back one that was not there',
      `git init -q empty && git -C empty -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1; ${evil}empty/.git/config`,
    ],
  ])("run() lets no command have the user's git obey an inner repository: it %s", async (_what, ...scripts) => {
    const { run, cwd } = testBroker({ sandbox: 'required' })
    fillRepository(cwd)
    for (const name of [`${deep}/inner`, 'empty']) {
      mkdirSync(join(cwd, name), { recursive: true })
      fillRepository(join(cwd, name))
    }
    git(cwd, 'add', deep, 'empty')
    execFileSync('rm', ['-rf', join(cwd, 'empty/.git')])
    const results = []
    for (const script of scripts) results.push(await run(script))
    expect(results.at(-1)).toMatchObject({ reason: 'killed', note: expect.stringContaining('inside the repository') })
    git(cwd, 'status')
    for (const folder of [cwd, join(cwd, deep)]) expect(readdirSync(folder)).not.toContain('ran')
  })

  test('run() lets a command work in an inner repository that is there', async () => {
    const { run, cwd } = testBroker({ sandbox: 'required' })
    fillRepository(cwd)
    mkdirSync(join(cwd, 'inner'))
    fillRepository(join(cwd, 'inner'))
    git(cwd, 'add', 'inner')
    for (const script of [
      'echo x >inner/f && git -C inner add f && git -C inner commit -q -m two',
      'git add -u && git commit -q -m two',
      'git status --short',
    ])
      expect(await run(script), script).toMatchObject({ exitCode: 0, output: '' })
    expect(existsSync(join(cwd, 'inner/.git'))).toBe(true)
  })
})
