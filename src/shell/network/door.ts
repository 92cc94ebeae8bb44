// Opens the way from a cell to its proxy: a socket that listens inside, in the network space of the cell, and is accepted on by our process.
// Nothing of it runs in the cell while commands do, so there is nothing there to kill, to trace or to speak for.
//
// How: before process 1 becomes the shell host it starts Node once, which listens and hands the socket out over the IPC channel that the cell
// was started with, and waits until we have it. Then the channel is closed, on both sides, and the first command may come. To enter the network
// space from outside instead (`nsenter --net`) is for root alone: the space belongs to the outer one of the two user spaces that bubblewrap
// makes for --disable-userns, and no process is in that one to enter it by; as another user it is refused (EPERM).

import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import { SkillcellError } from '../../errors.ts'
import type { Limits } from '../../limits.ts'
import { type ResolveHost, systemResolver } from '../../network-address.ts'
import { type NetworkHost, parseNetworkHost } from '../../network-hosts.ts'
import type { NetworkMode } from '../../options.ts'
import { createNetworkProxy, type NetworkRequest } from './proxy.ts'

export type TellNetworkRequest = (request: NetworkRequest) => void

/** What a cell is started with, and what it has as long as it lives. One for each cell. */
export interface NetworkDoor {
  /** Shell text on one line that comes before the shell host. */
  readonly prologue: string
  /** Takes the socket when it comes; goes with the child. */
  attach(child: ChildProcess): void
  /** From now on requests are those of this command. */
  begin(tell: TellNetworkRequest | undefined): void
  /** No command runs: what is still connected is ended. */
  end(): void
}

export interface NetworkDoorOptions {
  readonly hosts: readonly NetworkHost[]
  readonly limits: Limits
  readonly resolveHost?: ResolveHost
}

/** The descriptor of the channel, in the cell and in `stdio` of its start. */
const channelDescriptor = 7
/** The cell has its ports for itself, so it can be the same in all. */
export const proxyPort = 3128
const nodeSeenAs = '/run/skillcell/node'
const shownFolders = ['/usr/', '/bin/', '/opt/', '/nix/store/']

const listen = [
  'const server = require("net").createServer()',
  'process.on("disconnect", () => process.exit(0))',
  'process.on("message", () => {})',
  `server.listen(${proxyPort}, "127.0.0.1", () => process.send("listening", server))`,
].join('; ')

/** Arguments of bubblewrap that show Node where the system folders do not. */
export function doorArguments(network: NetworkMode): string[] {
  return network === 'allowlist' && nodeInside() === nodeSeenAs ? ['--ro-bind', process.execPath, nodeSeenAs] : []
}

/** Variables that programs find the proxy by. `NO_PROXY` is empty: there is nothing to reach beside it. */
export function doorEnvironment(network: NetworkMode): Readonly<Record<string, string>> {
  if (network !== 'allowlist') return {}
  const address = `http://127.0.0.1:${proxyPort}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap(name => [name, name.toLowerCase()])
  return { ...Object.fromEntries(names.map(name => [name, address])), NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' }
}

export function createNetworkDoor({
  hosts,
  limits,
  resolveHost = systemResolver(limits.networkConnectMs),
}: NetworkDoorOptions): NetworkDoor {
  let tellCommand: TellNetworkRequest | undefined
  const proxy = createNetworkProxy({ hosts, limits, resolveHost, tell: request => tellCommand?.(request) })
  return {
    prologue: `NODE_CHANNEL_FD=${channelDescriptor} NODE_CHANNEL_SERIALIZATION_MODE=json ${nodeInside()} -e '${listen}' </dev/null 3>&- 4>&- 5>&- 6>&- || exit 1; `,
    attach(child) {
      // The first message is ours: no command has run yet. A second one is not read, since the channel is closed.
      child.once('message', (_, socket) => {
        if (socket instanceof Server) proxy.listen(socket)
        if (child.connected) child.disconnect()
      })
      child.once('exit', () => proxy.close())
      child.once('error', () => proxy.close())
    },
    begin(tell) {
      tellCommand = tell
    },
    end() {
      proxy.endConnections()
      tellCommand = undefined
    },
  }
}

/** @throws {SkillcellError} CONFIG_INVALID that names the entry. */
export function parseNetworkHosts(entries: readonly string[]): NetworkHost[] {
  return entries.map(entry => {
    const host = parseNetworkHost(entry)
    if (typeof host === 'string') throw new SkillcellError('CONFIG_INVALID', `Cannot use networkHosts: ${host}`)
    return host
  })
}

function nodeInside(): string {
  return shownFolders.some(folder => process.execPath.startsWith(folder)) ? process.execPath : nodeSeenAs
}
