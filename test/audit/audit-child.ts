// A process of its own that appends: a number of entries, or without end, or one in the middle of which it is killed.

import { createAudit } from '../../src/audit/audit.ts'
import { auditDisk } from '../../src/audit/audit-disk.ts'

const [mode, directory = '', count = '0'] = process.argv.slice(2)
const command = (index: number): string => `echo ${process.pid} ${index} ${'x'.repeat(index % 700)}`
const append = (audit: ReturnType<typeof createAudit>, ...indexes: readonly number[]): void =>
  audit.append(
    ...indexes.map(index => ({
      type: 'decision' as const,
      who: { tenant: 'local', as: 'cli' as const },
      asked: { tool: 'Bash', command: command(index) },
      decision: 'allow' as const,
    })),
  )

if (mode === 'append') {
  const audit = createAudit({ directory, tenant: 'local', lockWaitMs: 30_000 })
  for (let index = 0; index < Number(count); index += 1) {
    append(audit, index)
    // Lets groups and checkpoints of this process come between its appends.
    if (index % 10 === 0) await new Promise(setImmediate)
  }
  await audit.close()
  process.disconnect()
} else if (mode === 'endless') {
  const audit = createAudit({ directory, tenant: 'local' })
  for (let index = 0; ; index += 1) {
    append(audit, index)
    if (index === 50) process.send?.('going')
    if (index % 10 === 0) await new Promise(setImmediate)
  }
} else {
  let writes = 0
  const audit = createAudit(
    { directory, tenant: 'local' },
    {
      sync: auditDisk.sync,
      write: (descriptor, bytes) => {
        writes += 1
        if (writes <= Number(count)) return auditDisk.write(descriptor, bytes)
        auditDisk.write(descriptor, bytes.subarray(0, bytes.length >> 1))
        process.kill(process.pid, 'SIGKILL')
        return bytes.length
      },
    },
  )
  for (let index = 0; ; index += 1) mode === 'die-in-three' ? append(audit, 0, 0, 0) : append(audit, index)
}
