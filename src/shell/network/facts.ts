// Whether `network: allowlist` holds on this machine, proved by a command in a cell that asks its proxy for a host which is not listed.

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../errors.ts'
import { resolveLimits } from '../../limits.ts'
import { createBroker } from '../broker.ts'
import type { SandboxFact } from '../sandbox-facts.ts'
import { proxyPort } from './door.ts'

const script = `exec 3<>/dev/tcp/127.0.0.1/${proxyPort} && printf 'CONNECT not-listed.invalid:443 HTTP/1.1\\r\\nHost: not-listed.invalid:443\\r\\n\\r\\n' >&3 && head -c 12 <&3`

/** A line for `doctor`; what is missing stands in `detail`. */
export async function networkFact(bubblewrap: string = 'bwrap'): Promise<SandboxFact> {
  const problem = await allowlistProblem(bubblewrap)
  return { name: 'network allowlist', holds: problem === undefined, detail: problem ?? 'a cell reaches its proxy and nothing else' }
}

async function allowlistProblem(bubblewrap: string): Promise<string | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'skillcell-network-')))
  try {
    const broker = createBroker({
      sandbox: 'auto',
      bubblewrap,
      network: 'allowlist',
      stateDirectory: join(folder, 'state'),
      limits: resolveLimits(undefined, 'skillcell'),
      env: process.env,
    })
    if (broker.sandbox === 'none') return `not here, since there is no cell: ${broker.sandboxProblem}`
    try {
      const request = { script, shell: 'bash', parameters: [], variables: {}, environment: {}, cwd: folder } as const
      const { output } = await broker.run({ ...request, timeoutMs: 20_000, stderr: 'merged' })
      return output === 'HTTP/1.1 403' ? undefined : `a cell does not reach its proxy: ${output || 'no answer'}`
    } finally {
      await broker.close()
    }
  } catch (error) {
    return `a cell with a proxy does not start: ${messageOf(error)}; it needs to start ${process.execPath} once`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
