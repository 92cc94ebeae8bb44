// What a process of ours that is killed leaves of a server: the program itself ends with it, what that had started ends at the next start.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { startTransportProcess } from '../../src/shell/transport-process.ts'
import { processesWith, temporaryFolder, until } from './support.ts'

test('startTransportProcess() ends what a killed process of ours left', async () => {
  const folder = temporaryFolder()
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('../../src/shell/transport-process.ts', import.meta.url)),
      outDir: join(folder, 'built'),
      rollupOptions: { output: { entryFileNames: 'transport.mjs' } },
    },
  })
  // The server does not heed the end of its input; one child of it has left its group.
  const script = `setsid sleep 721 & touch begun; while :; do sleep 722; done # ${folder}`
  const request = { command: '/bin/sh', args: ['-c', script], env: {}, cwd: folder }
  const program = join(folder, 'built', 'program.mjs')
  writeFileSync(
    program,
    `import { startTransportProcess } from './transport.mjs'\nawait startTransportProcess(${JSON.stringify(request)})\n`,
  )
  const child = spawn(process.execPath, [program], { stdio: 'inherit' })
  await until(() => existsSync(join(folder, 'begun')))
  expect(processesWith(script).length).toBe(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await until(() => processesWith(script).length === 0)
  expect(processesWith('sleep\x00721').length).toBe(1)

  const next = await startTransportProcess({ command: '/bin/cat', args: [], env: {}, cwd: folder })
  await until(() => processesWith('sleep\x00721').length + processesWith('sleep\x00722').length === 0)
  await next.kill()
})
