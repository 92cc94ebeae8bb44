// How a bench measures and what it prints. A and B run in turns in one process, medians are compared, a ratio is the result:
// a number alone says more of the machine than of the code.

import { cpus } from 'node:os'

export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What SPEC R14 asks for. */
  readonly floor: string
  readonly holds: boolean
  /** The medians behind a ratio. */
  readonly detail?: string
}

/** Runs `measure` and prints a table, or JSON with `--json`. Exit 1 if a floor is not held. */
export async function report(name: string, measure: () => Promise<readonly Row[]>): Promise<void> {
  const rows = await measure()
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, node ${process.versions.node}`
  if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: name, machine, at: new Date().toISOString(), rows }))
  else {
    console.log(`${name} (${machine}, ${new Date().toISOString().slice(0, 10)})`)
    for (const row of rows)
      console.log(
        `  ${row.holds ? 'ok  ' : 'MISS'} ${row.name}: ${shown(row.value)} ${row.unit} (asked: ${row.floor})${row.detail ? `  ${row.detail}` : ''}`,
      )
  }
  process.exitCode = rows.every(row => row.holds) ? 0 : 1
}

/** Counts given on the command line, to make a bench shorter or longer. */
export function numberArguments(): readonly (number | undefined)[] {
  return process.argv.slice(2).flatMap(word => (/^\d+$/.test(word) ? [Number(word)] : []))
}

/** A, B, A, B, …: what disturbs the machine disturbs both. Gives the medians. */
export async function interleave(
  rounds: number,
  a: () => Promise<number> | number,
  b: () => Promise<number> | number,
): Promise<{ readonly a: number; readonly b: number }> {
  // Once for the compilers and the caches.
  await a()
  await b()
  const times: { a: number[]; b: number[] } = { a: [], b: [] }
  for (let round = 0; round < rounds; round += 1) {
    times.a.push(await a())
    times.b.push(await b())
  }
  return { a: median(times.a), b: median(times.b) }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN
}

/** ms that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

export function atMost(name: string, value: number, limit: number, unit: string, detail?: string): Row {
  return { name, value, unit, floor: `≤ ${limit}`, holds: value <= limit, ...(detail && { detail }) }
}

export function atLeast(name: string, value: number, limit: number, unit: string, detail?: string): Row {
  return { name, value, unit, floor: `≥ ${limit}`, holds: value >= limit, ...(detail && { detail }) }
}

export function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)
}
