// Looks at what this machine has for skillcell and says what is missing and what to do. It changes nothing but makes the state folder.

import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { readConfiguration } from './config.ts'
import { messageOf } from './errors.ts'
import { createLateRooms } from './late-rooms.ts'
import type { RuntimeOptions } from './options.ts'
import { createRuntime } from './runtime.ts'
import { prepareSetup } from './setup.ts'
import { ensureStateFolder } from './state.ts'

export interface Check {
  readonly name: string
  /** `missing`: works, with less. `note`: nothing is missing, but good to know. */
  readonly status: 'ok' | 'note' | 'missing' | 'broken'
  readonly detail: string
}

const oldestNode: readonly [number, number] = [20, 19]

/** One answer for each thing looked at; a check that fails does not keep the others from being made. */
export async function examine(flags: RuntimeOptions, environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const checks: Check[] = [checkNode()]
  const check = async (name: string, look: () => Promise<string>, otherwise: Check['status'] = 'broken'): Promise<void> => {
    checks.push(
      await look().then(
        (detail): Check => ({ name, status: 'ok', detail }),
        (error): Check => ({ name, status: otherwise, detail: messageOf(error) }),
      ),
    )
  }
  await check('configuration', async () => {
    const set = (await readConfiguration(flags, environment)).values.filter(value => !value.from.includes('default'))
    return set.length === 0 ? 'nothing set, all defaults' : set.map(value => value.key).join(', ')
  })
  const { options } = await readConfiguration(flags, environment).catch(() => ({ options: flags }))
  await check('policy and skills', async () => {
    const runtime = await createRuntime({ ...options, sandbox: 'auto' })
    try {
      const { skills, diagnostics } = await runtime.list()
      return `${skills.length} skills, ${diagnostics.length} diagnostics`
    } finally {
      await runtime.close()
    }
  })
  await check('bash', () => findProgram('bash', environment, 'install bash: injected commands need it'))
  await check('sandbox', () => findSandbox(options, environment), 'missing')
  const { sandboxFacts } = await import('./shell/sandbox-facts.ts')
  const { networkFact } = await import('./shell/network/facts.ts')
  for (const { name, holds, isNote, detail } of [...sandboxFacts(), await networkFact()])
    checks.push({ name: `sandbox: ${name}`, status: isNote ? 'note' : holds ? 'ok' : 'missing', detail })
  await check('state folder', async () => {
    const { state } = await prepareSetup(options, environment)
    ensureStateFolder(state)
    return state
  })
  return checks
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
  return {
    name: 'node',
    status: ok ? 'ok' : 'broken',
    detail: `${process.versions.node}${ok ? '' : `; at least ${oldestNode.join('.')} is needed`}`,
  }
}

async function findSandbox(options: RuntimeOptions, environment: NodeJS.ProcessEnv): Promise<string> {
  const { limits, state, network, networkHosts } = await prepareSetup(options, environment)
  const rooms = createLateRooms({ limits, state, sandbox: 'auto', network, networkHosts })
  try {
    const { sandbox, sandboxProblem } = await rooms.broker()
    if (sandbox !== 'none') return sandbox
    throw new Error(`none (${sandboxProblem ?? 'not looked for'}): commands run as plain processes of this user, and every result says so`)
  } finally {
    await rooms.close()
  }
}

async function findProgram(name: string, environment: NodeJS.ProcessEnv, remedy: string): Promise<string> {
  for (const folder of ['/bin', '/usr/bin', ...(environment.PATH ?? '').split(delimiter)]) {
    const path = join(folder, name)
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return path
  }
  throw new Error(remedy)
}
