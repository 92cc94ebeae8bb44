#!/usr/bin/env node
// Entry of the command line. It loads little: each command loads what it needs. An interrupt while it loads ends it as any other does.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const interrupted = (name: NodeJS.Signals): never => {
  process.stderr.write(`ABORTED: Interrupted by ${name}\n`)
  process.exit(130)
}
for (const name of signals) process.on(name, interrupted)
const { runCommandLine } = await import('./program.ts')
const running = runCommandLine(process.argv.slice(2))
// From here on it watches by itself.
for (const name of signals) process.off(name, interrupted)
process.exitCode = await running

export {}
