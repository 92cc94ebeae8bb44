// An allowlist from inside a cell, with real programs: what gets through is what is listed, and there is no other way out. As whoever runs the
// tests and, where that is root, as an ordinary user too.

import { execFile } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer as createUnixServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveLimits } from '../../src/limits.ts'
import { createBroker } from '../../src/shell/broker.ts'
import type { CommandResult } from '../../src/shell/command.ts'
import { networkFact } from '../../src/shell/network/facts.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { httpServer, networkBroker, tcpServer } from './network-support.ts'
import { commandRequest, programs, temporaryFolder, until } from './support.ts'

const ordinaryUser = 65_534
const execute = promisify(execFile)
const python = (text: string) => `python3 -c 'import socket\n${text}'`
const greeting = 'reached'
const proxyAsks = (line: string) =>
  `{ exec 9<>/dev/tcp/127.0.0.1/3128 && printf "%s HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" "${line}" >&9 && head -c 12 <&9; }`

/** `$1` a port that is listed, `$2` one that is not, `$3` the name of an abstract socket. */
const waysOut: readonly (readonly [what: string, script: string])[] = [
  ['another port, plain', 'curl -sSf "http://127.0.0.1:$2/"'],
  ['another port, by a tunnel', 'curl -sSfp "http://127.0.0.1:$2/"'],
  ['another address of the same machine', 'curl -sSf "http://127.0.0.2:$1/"'],
  ['another name of the same machine', 'curl -sSf "http://localhost:$1/"'],
  ['a public address', 'curl -sSf http://1.1.1.1/'],
  ['a public address by a tunnel', 'curl -sSf https://1.1.1.1/'],
  ['userinfo', `${proxyAsks('CONNECT 127.0.0.1:$1@127.0.0.1:$2')} | grep " 200"`],
  ['the listed port without the proxy', `curl -sSf --noproxy '*' "http://127.0.0.1:$1/"`],
  ['a port of the host', 'exec 9<>"/dev/tcp/127.0.0.1/$2" && head -c 7 <&9'],
  ['a public address without the proxy', 'exec 9<>/dev/tcp/1.1.1.1/443'],
  ['version 6', python('socket.create_connection(("2606:4700:4700::1111", 443), 5)')],
  ['UDP', python('socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53))')],
  ['multicast', python('socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("224.0.0.251", 5353))')],
  ['a raw socket', python('socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)')],
  ['a name server', 'getent ahosts example.com'],
  ['an abstract socket of the host', `${python('import sys\nsocket.socket(socket.AF_UNIX).connect(("\\0" + sys.argv[1]).encode())')} "$3"`],
  ['another interface', '[ "$(tail -n +3 /proc/net/dev | grep -cv " lo:")" -gt 0 ]'],
  ['the place of the proxy', python('socket.create_server(("127.0.0.1", 3128))')],
  ['a share of it', python('socket.create_server(("127.0.0.1", 3128), reuse_port=True)')],
  ['its socket or its channel', 'for d in /proc/1/fd/* /proc/self/fd/*; do readlink "$d"; done | grep socket'],
]
const wayThrough = 'curl -sSf "http://127.0.0.1:$1/" && curl -sSfp "http://127.0.0.1:$1/"'

describe.runIf(sandboxProblem() === undefined)('a cell with an allowlist', () => {
  const world = async () => {
    const [listed, other] = [await httpServer((_, response) => response.end(greeting)), await tcpServer(socket => socket.end(greeting))]
    const abstract = `skillcell-network-${process.pid}`
    const daemon = createUnixServer(client => client.end(greeting)).listen(`\0${abstract}`)
    onTestFinished(() => void daemon.close())
    return { listed, other, parameters: [String(listed.port), String(other.port), abstract] }
  }
  const scripts = [...waysOut.map(([, script]) => script), 'kill -9 -1', wayThrough]
  const expectShut = (results: readonly CommandResult[]) => {
    for (const [index, [what]] of waysOut.entries()) {
      expect([what, results[index]]).toEqual([what, expect.objectContaining({ sandbox: 'bubblewrap', reason: 'exited' })])
      expect([what, results[index]?.exitCode]).not.toEqual([what, 0])
      expect([what, results[index]?.exitCode]).not.toEqual([what, 127])
      expect([what, results[index]?.output]).toEqual([what, expect.not.stringContaining(greeting)])
    }
    // Not because nothing works in it, and not only before a command tried to end all.
    expect(results.at(-1)).toMatchObject({ exitCode: 0, output: greeting.repeat(2) })
  }

  test('has no other way out', async () => {
    const { listed, other, parameters } = await world()
    const { run, told } = networkBroker({ hosts: [`127.0.0.1:${listed.port}`] })
    const results: CommandResult[] = []
    for (const script of scripts) results.push(await run(script, { parameters }))
    expectShut(results)
    expect(other.sockets).toEqual([])
    expect(told.filter(({ decision }) => decision === 'allowed')).toHaveLength(2)
    expect(told.filter(({ decision }) => decision === 'refused').length).toBeGreaterThanOrEqual(7)
  })

  test.skipIf(process.getuid?.() !== 0)('has none as an ordinary user, and after close() nothing holds the process', async () => {
    const { listed, parameters } = await world()
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-network-')))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    chmodSync(root, 0o755)
    const [cwd = '', stateDirectory = '', home = ''] = ['workspace', 'state', 'home'].map(name => {
      mkdirSync(join(root, name))
      chownSync(join(root, name), ordinaryUser, ordinaryUser)
      return join(root, name)
    })
    await build({
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: fileURLToPath(new URL('../../src/shell/broker.ts', import.meta.url)),
        outDir: join(root, 'built'),
        rollupOptions: { output: { entryFileNames: 'broker.mjs' } },
      },
    })
    const program = join(root, 'built', 'program.mjs')
    copyFileSync(join(programs, 'run-commands.mjs'), program)
    const limits = resolveLimits({}, 'skillcell')
    const options = { sandbox: 'required', network: 'allowlist', networkHosts: [`127.0.0.1:${listed.port}`], stateDirectory, limits }
    const work = { options, request: { ...commandRequest('', { cwd, parameters }), readable: [] }, scripts }
    const { stdout } = await execute(
      'setpriv',
      [
        ...[`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups', process.execPath],
        ...[program, join(root, 'built', 'broker.mjs'), JSON.stringify(work)],
      ],
      { cwd: root, env: { PATH: process.env.PATH ?? '', HOME: home }, maxBuffer: 2 ** 24 },
    )
    expectShut(JSON.parse(stdout) as CommandResult[])
  })

  test('lets programs find the proxy by themselves', async () => {
    const server = await httpServer((request, response) => {
      if (request.url === '/a.git/info/refs?service=git-upload-pack')
        return void response.end(`${'0'.repeat(40).replace(/0/g, 'a')}\trefs/heads/main\n`)
      if (request.url === '/a.git/HEAD') return void response.end('ref: refs/heads/main\n')
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          name: 'left',
          version: '1.2.3',
          'dist-tags': { latest: '1.2.3' },
          versions: { '1.2.3': { name: 'left', version: '1.2.3' } },
        }),
      )
    })
    const host = `api.example.test:${server.port}`
    const { run, told } = networkBroker({
      hosts: [host, `127.0.0.1:${server.port}`],
      names: { 'api.example.test': ['127.0.0.1'] },
    })
    const parameters = [`http://${host}`]
    const shown: Record<string, string> = {
      curl: 'curl -sSf "$1/x" | head -c 8',
      'curl, upper case': 'HTTP_PROXY= curl -sSfp "$1/x" | head -c 8',
      git: 'git ls-remote "$1/a.git"',
      npm: 'npm view left version --registry "$1/" --fetch-retries 0',
      python: `python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + "/x").read(8).decode())' "$1"`,
      node: `node -e 'const { request } = require("http"); const proxy = new URL(process.env.http_proxy);
        request({ host: proxy.hostname, port: proxy.port, path: process.argv[1] + "/x", headers: { host: new URL(process.argv[1]).host } },
          answer => answer.once("data", piece => console.log(String(piece).slice(0, 8)))).end()' "$1"`,
    }
    for (const [what, script] of Object.entries(shown)) {
      const result = await run(script, { parameters })
      expect([what, result]).toEqual([what, expect.objectContaining({ exitCode: 0 })])
      expect([what, result.output]).toEqual([what, expect.stringMatching(/^(?:\{"name":|a{40}\tHEAD|1\.2\.3)/)])
    }
    expect(told.length).toBeGreaterThanOrEqual(Object.keys(shown).length)
    expect(told).toEqual(told.map(() => ({ host: 'api.example.test', port: server.port, decision: 'allowed' })))
  })

  test('gives no variable of the proxy to a cell without one, and no port of it', async () => {
    const cwd = temporaryFolder()
    const allowing = networkBroker({ hosts: ['api.example.test'], cwd })
    expect((await allowing.run('env | grep -ic proxy')).output).toBe('9')
    const none = createBroker({
      sandbox: 'required',
      stateDirectory: temporaryFolder(),
      limits: resolveLimits({}, 'skillcell'),
      env: { ...process.env, HTTP_PROXY: 'http://user:secret@proxy.example.test' },
    })
    onTestFinished(() => none.close())
    const request = commandRequest('env | grep -i proxy; : <>/dev/tcp/127.0.0.1/3128', { cwd: temporaryFolder() })
    expect(await none.run(request)).toMatchObject({ exitCode: 1, output: expect.not.stringContaining('http') })
  })

  test('gives each of two cells its own list at one time', async () => {
    const server = await httpServer((_, response) => response.end(greeting))
    const script = 'touch ready; until [ -e go ]; do sleep 0.02; done; curl -sSf "http://127.0.0.1:$1/"'
    const parameters = [String(server.port)]
    const first = networkBroker({ hosts: [`127.0.0.1:${server.port}`] })
    const second = networkBroker({ hosts: ['127.0.0.1:9'] })
    const running = [first, second].map(({ run }) => run(script, { parameters }))
    for (const { cwd, run } of [second, first]) void run(`until [ -e ready ]; do sleep 0.02; done; touch go # ${cwd}`)
    const [allowed, refused] = await Promise.all(running)
    expect(allowed).toMatchObject({ exitCode: 0, output: greeting })
    expect(refused).toMatchObject({ exitCode: 22 })
    expect(second.told).toMatchObject([{ decision: 'refused', port: server.port }])
  })

  test('tells requests to the command that made them, and ends what is open when it ends', async () => {
    const server = await tcpServer(() => undefined)
    const { run } = networkBroker({ hosts: [`127.0.0.1:${server.port}`] })
    const stop = new AbortController()
    const told: string[] = []
    const parameters = [String(server.port)]
    const left = await run('curl -sN "http://127.0.0.1:$1/" >/dev/null & exec 9<>/dev/tcp/127.0.0.1/3128; sleep 0.3', {
      parameters,
      onNetworkRequest: ({ decision }) => told.push(`first ${decision}`),
    })
    expect(left).toMatchObject({ exitCode: 0 })
    await until(() => server.sockets.length === 1 && server.sockets.every(socket => socket.resume().readableEnded))
    const aborted = run('curl -sN "http://127.0.0.1:$1/"', {
      parameters,
      signal: stop.signal,
      onNetworkRequest: ({ decision }) => {
        told.push(`second ${decision}`)
        stop.abort()
      },
    })
    expect(await aborted).toMatchObject({ reason: 'aborted' })
    await until(() => server.sockets.every(socket => socket.resume().readableEnded || socket.destroyed))
    expect(told).toEqual(['first allowed', 'second allowed'])
    expect(await run('curl -s -o /dev/null -w "%{http_code}" http://other.example.test/')).toMatchObject({ output: '403' })
  })

  test('leaves nothing open in our process when its broker is closed', async () => {
    const kinds = () =>
      process
        .getActiveResourcesInfo()
        .filter(kind => /^(?:TCP|Pipe|Timeout|Process)/.test(kind))
        .toSorted()
    const server = await tcpServer(() => undefined)
    const before = kinds()
    const { run, broker } = networkBroker({ hosts: [`127.0.0.1:${server.port}`] })
    await run('curl -sN "http://127.0.0.1:$1/" & exec 9<>/dev/tcp/127.0.0.1/3128; sleep 0.2', { parameters: [String(server.port)] })
    await broker.close()
    for (const socket of server.sockets) socket.destroy()
    const count = (all: readonly string[], kind: string) => all.filter(each => each === kind).length
    await until(() => kinds().every((kind, _, all) => count(all, kind) <= count(before, kind)))
  })

  test('is a line for doctor', async () => {
    expect(await networkFact()).toEqual({ name: 'network allowlist', holds: true, detail: expect.any(String) })
    expect(await networkFact('no-such-bubblewrap')).toMatchObject({ holds: false, detail: expect.stringContaining('bubblewrap') })
  })
})

test('without a cell the result says that the list is not enforced', async () => {
  const broker = createBroker({
    sandbox: 'off',
    network: 'allowlist',
    networkHosts: ['example.com'],
    stateDirectory: temporaryFolder(),
    limits: resolveLimits({}, 'skillcell'),
    env: process.env,
  })
  onTestFinished(() => broker.close())
  const { notEnforced } = await broker.run(commandRequest('env | grep -i proxy', { cwd: temporaryFolder() }))
  expect(notEnforced).toContainEqual(expect.stringContaining('networkHosts'))
})
