// What the configuration of a repository makes git run or obey in the workspace, and repositories in its folders: no command changes any of it
// (SPEC R17.10). Each attack would have the user's next git write a file `ran`.

import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { type TestBroker, temporaryFolder, testBroker } from './support.ts'

const environment = (home: string) => ({ PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' })

function git(cwd: string, ...words: string[]): string {
  const options = { cwd, env: environment(process.env.HOME ?? cwd), encoding: 'utf8' as const, stdio: 'pipe' as const }
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], options)
}

function fill(cwd: string): void {
  mkdirSync(cwd, { recursive: true })
  git(cwd, 'init', '-q', '-b', 'main')
  writeFileSync(join(cwd, 'file'), 'one\n')
  git(cwd, 'add', 'file')
  git(cwd, 'commit', '-q', '-m', 'one')
}

function repository(): TestBroker {
  vi.stubEnv('HOME', temporaryFolder())
  const made = testBroker({ sandbox: 'required' })
  fill(made.cwd)
  return made
}

function write(cwd: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
    chmodSync(join(cwd, name), 0o755)
  }
}

/** All that a user does in a repository. */
function work(cwd: string): void {
  for (const words of [
    ['status'],
    ['add', '-A'],
    ['commit', '-q', '--allow-empty', '-m', 'two'],
    ['checkout', '-q', '-b', 'b'],
    ['diff', 'HEAD~1'],
  ]) {
    try {
      git(cwd, ...words)
    } catch {
      // A part of it that fails runs nothing.
    }
  }
}

const run = (place: string) => `printf '#!/bin/sh\\necho x >"$(git rev-parse --show-toplevel)/ran"\\n' >${place} && chmod +x ${place}`
const obeyed = (place: string) => `printf '[core]\\n\\tfsmonitor = "echo x >ran; false"\\n' >${place}`

interface Attack {
  readonly config: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly script: string
}

const hook = '#!/bin/sh\n'
const attacks: Readonly<Record<string, Attack>> = {
  'a hook that is there': {
    config: ['core.hooksPath', '.githooks'],
    files: { '.githooks/pre-commit': hook },
    script: run('.githooks/pre-commit'),
  },
  'another hook': { config: ['core.hooksPath', 'tools/hooks'], files: { 'tools/hooks/x': '' }, script: run('tools/hooks/post-checkout') },
  'the folder of hooks': {
    config: ['core.hooksPath', 'tools/hooks'],
    files: { 'tools/hooks/x': '' },
    script: `mv tools away; mkdir -p tools/hooks; ${run('tools/hooks/pre-commit')}`,
  },
  'a folder of hooks that is not there': {
    config: ['core.hooksPath', '.githooks'],
    script: `mkdir -p .githooks; ${run('.githooks/pre-commit')}`,
  },
  'a folder of hooks far down': {
    config: ['core.hooksPath', 'a/b/c'],
    files: { 'a/x': '' },
    script: `mkdir -p a/b/c; ${run('a/b/c/pre-commit')}`,
  },
  'what a hook of Husky runs': {
    config: ['core.hooksPath', '.husky/_'],
    files: { '.husky/_/pre-commit': '#!/bin/sh\n. "$(dirname "$0")/../pre-commit"\n', '.husky/pre-commit': hook },
    script: run('.husky/pre-commit'),
  },
  'what Husky will make': { config: ['core.hooksPath', '.husky/_'], script: `mkdir -p .husky/_; ${run('.husky/_/pre-commit')}` },
  'an absolute folder of hooks': { config: ['core.hooksPath', '$CWD/h'], files: { 'h/x': '' }, script: run('h/pre-commit') },
  'an included file': { config: ['include.path', '../own.inc'], files: { 'own.inc': '[a]\n' }, script: obeyed('own.inc') },
  'an included file, by rename': {
    config: ['include.path', '../own.inc'],
    files: { 'own.inc': '[a]\n' },
    script: `${obeyed('new')}; mv -f new own.inc`,
  },
  'a file that is included in some case': {
    config: ['includeIf.onbranch:main.path', '../own.inc'],
    files: { 'own.inc': '' },
    script: obeyed('own.inc'),
  },
  'an included file that is not there': { config: ['include.path', '../own.inc'], script: `${obeyed('own.inc')}; sleep 30` },
  'an included file of a folder that is not there': { config: ['include.path', '../c/own'], script: `mkdir -p c; ${obeyed('c/own')}` },
  'what an included file names': {
    config: ['include.path', '../own.inc'],
    files: { 'own.inc': '[core]\n\thooksPath = hk\n', 'hk/x': '' },
    script: run('hk/pre-commit'),
  },
  'the script of a filter': {
    config: ['filter.f.clean', 'sh ./tools/clean.sh %f'],
    files: { 'tools/clean.sh': 'cat\n', '.gitattributes': 'file filter=f\n' },
    script: `echo two >file; ${run('tools/clean.sh')}`,
  },
  'attributes that lead to a filter': {
    config: ['core.attributesFile', 'attr'],
    files: { attr: '# none\n' },
    script: "echo two >file; echo 'file filter=f' >attr",
  },
}

describe.runIf(sandboxProblem() === undefined)('what a configuration names, in a cell', () => {
  test.each(Object.entries(attacks))(
    'run() lets no command change %s',
    async (_what, { config: [key = '', value = ''], files = {}, script }) => {
      const { run: command, cwd } = repository()
      write(cwd, files)
      git(cwd, 'config', key, value.replace('$CWD', cwd))
      if (key === 'core.attributesFile') git(cwd, 'config', 'filter.f.clean', 'echo x >ran; cat')
      const { reason, exitCode } = await command(script)
      expect(reason === 'killed' || exitCode !== 0, reason).toBe(true)
      for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), 'utf8'), name).toBe(text)
      work(cwd)
      expect(existsSync(join(cwd, 'ran'))).toBe(false)
      expect(await command('echo x >other; cat other')).toMatchObject({ output: 'x' })
    },
  )

  test('run() protects what the configuration of the user names, and what it names by the next command', async () => {
    const { run: command, cwd } = repository()
    mkdirSync(join(cwd, 'one'))
    expect(await command(`${run('one/pre-commit')}; rm one/pre-commit; echo x >one/y`)).toMatchObject({ exitCode: 0 })
    writeFileSync(join(process.env.HOME ?? '', '.gitconfig'), '[core]\n\thooksPath = one\n')
    expect((await command(run('one/pre-commit'))).exitCode).not.toBe(0)
    git(cwd, 'config', 'core.hooksPath', 'two')
    mkdirSync(join(cwd, 'two'))
    expect((await command(run('two/pre-commit'))).exitCode).not.toBe(0)
    work(cwd)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  test('run() puts back a link on the way to the hooks', async () => {
    const { run: command, cwd } = repository()
    write(cwd, { 'real/hooks/x': '', 'evil/hooks/x': '' })
    symlinkSync('real', join(cwd, 'way'))
    git(cwd, 'config', 'core.hooksPath', 'way/hooks')
    const result = await command(`${run('evil/hooks/pre-commit')}; ln -sfn evil way; sleep 30`, { timeoutMs: 15_000 })
    expect(result).toMatchObject({ reason: 'killed', note: expect.stringContaining('"way"') })
    work(cwd)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  test('run() leaves nothing of what stood for absent folders, and git sees nothing of it', async () => {
    const { run: command, cwd, broker } = repository()
    git(cwd, 'config', 'core.hooksPath', 'a/b/hooks')
    await command('true')
    expect(git(cwd, 'status', '--short')).toBe('')
    await command('true')
    await broker.close()
    expect(readdirSync(cwd).sort()).toEqual(['.git', 'file'])
  })
})

describe.runIf(sandboxProblem() === undefined)('repositories in folders, in a cell', () => {
  const clone = 'vendor/host/x'

  test.each([
    ['its configuration', `${obeyed(`${clone}/.git/config`)}`],
    ['its configuration, by git', `git -C ${clone} config core.fsmonitor ./evil`],
    ['configuration of its worktree', obeyed(`${clone}/.git/config.worktree`)],
    ['a hook', run(`${clone}/.git/hooks/pre-commit`)],
    ['its hooks', `mv ${clone}/.git/hooks ${clone}/.git/away; mkdir ${clone}/.git/hooks && ${run(`${clone}/.git/hooks/pre-commit`)}`],
    ['all of it', `mv vendor away; mkdir -p ${clone}; cp -r away/host/x/.git ${clone}/ && ${obeyed(`${clone}/.git/config`)}`],
    ['its common folder', `cp -r ${clone}/.git fake; ${obeyed('fake/config')}; echo ../../../../fake >${clone}/.git/commondir`],
    ['what its configuration names', run(`${clone}/hk/pre-commit`)],
    ['a bare one', `printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = "echo x >ran; false"\\n' >bare/config`],
    ['a hook of a bare one', run('bare/hooks/reference-transaction')],
    ['what a file leads to', obeyed('kept/config')],
    ['the file that leads to it', `cp -r kept fake; ${obeyed('fake/config')}; echo "gitdir: $PWD/fake" >apart/.git`],
  ])('run() lets no command change %s', async (_what, script) => {
    const { run: command, cwd } = repository()
    fill(join(cwd, clone))
    write(cwd, { [`${clone}/hk/x`]: '' })
    git(join(cwd, clone), 'config', 'core.hooksPath', 'hk')
    if (script.includes('.git/hooks')) git(join(cwd, clone), 'config', '--unset', 'core.hooksPath')
    git(cwd, 'init', '-q', '--bare', 'bare')
    git(cwd, 'init', '-q', '--separate-git-dir', 'kept', 'apart')
    const configs = [`${clone}/.git/config`, 'bare/config', 'kept/config', 'apart/.git'].map(name => join(cwd, name))
    const before = configs.map(path => readFileSync(path, 'utf8'))
    expect((await command(script)).exitCode).not.toBe(0)
    expect(configs.map(path => readFileSync(path, 'utf8'))).toEqual(before)
    for (const folder of [clone, 'apart', 'bare']) {
      work(join(cwd, folder))
      for (const place of [folder, '.', `${folder}/..`]) expect(existsSync(join(cwd, place, 'ran')), place).toBe(false)
    }
  })

  test('run() lets git work in them, and leaves nothing in them', async () => {
    const { run: command, cwd, broker } = repository()
    fill(join(cwd, clone))
    git(cwd, 'init', '-q', '--bare', 'bare')
    for (const script of [
      `cd ${clone}; echo two >>file && git add file && git -c user.name=a -c user.email=a@b commit -q -m two && git checkout -q -b other`,
      `cd ${clone}; git push -q ../../../bare other && git gc -q && git fsck && git status --short`,
      'git -C bare log --format=%s other | grep -q two && git -C bare gc -q',
    ])
      expect(await command(script, { stderr: 'merged' }), script).toMatchObject({ exitCode: 0, output: '' })
    await broker.close()
    for (const folder of [`${clone}/.git`, 'bare'])
      for (const name of ['commondir', 'config.worktree', 'modules', 'worktrees'])
        expect(existsSync(join(cwd, folder, name)), name).toBe(false)
  })

  test('run() leaves a clone that a command makes to that command', async () => {
    const { run: command, cwd } = repository()
    const script = 'git clone -q . copy && git -C copy config user.name x && git -C copy checkout -q -b other && rm -rf copy'
    expect(await command(script, { stderr: 'merged' })).toMatchObject({ exitCode: 0, output: '' })
    expect(existsSync(join(cwd, 'copy'))).toBe(false)
  })
})

describe.runIf(sandboxProblem() === undefined)('a workspace that is a bare repository, in a cell', () => {
  test.each([
    ['its configuration', `printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = "echo x >ran; false"\\n' >config`],
    ['its configuration, by git', 'git config core.pager ./evil'],
    ['a hook', run('hooks/reference-transaction')],
    ['its hooks', `mv hooks away; mkdir hooks && ${run('hooks/reference-transaction')}`],
    ['its common folder', `mkdir fake; cp -r objects refs config HEAD fake; ${obeyed('fake/config')}; echo fake >commondir`],
    ['configuration of a worktree', obeyed('config.worktree')],
    ['attributes', "echo '* filter=f' >info/attributes; ls info | grep -v attributes"],
    ['a worktree', 'mkdir -p worktrees/w && echo x >worktrees/w/gitdir'],
    ['a module', `mkdir -p modules/m && ${obeyed('modules/m/config')}`],
  ])('run() lets no command change %s', async (what, script) => {
    vi.stubEnv('HOME', temporaryFolder())
    const { run: command, cwd } = testBroker({ sandbox: 'required' })
    git(cwd, 'init', '-q', '--bare', '-b', 'main', '.')
    appendFileSync(join(cwd, 'config'), '[own]\n\tkey = 1\n')
    const config = readFileSync(join(cwd, 'config'), 'utf8')
    const result = await command(script)
    if (what !== 'attributes') expect(result.exitCode).not.toBe(0)
    expect(readFileSync(join(cwd, 'config'), 'utf8')).toBe(config)
    expect(readdirSync(join(cwd, 'info'))).not.toContain('attributes')
    work(cwd)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect(git(cwd, 'rev-parse', '--is-bare-repository').trim()).toBe('true')
  })

  test('run() lets git work in it, and leaves nothing in it', async () => {
    vi.stubEnv('HOME', temporaryFolder())
    const { run: command, cwd, broker } = testBroker({ sandbox: 'required' })
    git(cwd, 'init', '-q', '--bare', '-b', 'main', '.')
    const before = readdirSync(cwd).sort()
    const script =
      'c=$(git -c user.name=a -c user.email=a@b commit-tree -m one $(git mktree </dev/null)) && git update-ref refs/heads/main $c && git gc -q && git log --format=%s'
    expect(await command(script, { stderr: 'merged' })).toMatchObject({ exitCode: 0, output: 'one' })
    await broker.close()
    expect(readdirSync(cwd).sort()).toEqual([...before, 'packed-refs'].sort())
  })
})
