// Programs that are not in a cell end when our process does: at once when it exits, by the kernel where setpriv is had when it is killed.
// What such a program had started itself is then found by its mark, at the next start (owned-names.ts).

import { existsSync } from 'node:fs'

/** Words before a command line: the program gets KILL when our process is killed. It is the same process, by the same number. */
export const dyingWithUs: readonly string[] = ['/usr/bin/setpriv', '/bin/setpriv']
  .filter(path => process.platform === 'linux' && existsSync(path))
  .slice(0, 1)
  .flatMap(path => [path, '--pdeathsig', 'KILL', '--'])

const leaders = new Set<number>()

/** KILL to the process group of `leader` when our process exits before `forget` is called. */
export function endWithUs(leader: number): void {
  if (leaders.size === 0) process.once('exit', killLeaders)
  leaders.add(leader)
}

export function forget(leader: number): void {
  leaders.delete(leader)
  if (leaders.size === 0) process.off('exit', killLeaders)
}

function killLeaders(): void {
  for (const leader of leaders) {
    try {
      process.kill(-leader, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}
