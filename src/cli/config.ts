// skillcell config: each option, its value and where it comes from.

import { readConfiguration } from '../config.ts'
import { isRecord } from '../is-record.ts'
import type { CommandContext } from './context.ts'
import { print, printJson, table } from './output.ts'

export async function config({ flags, json }: CommandContext): Promise<number> {
  const { values } = await readConfiguration(flags, process.env)
  if (json) await printJson({ ok: true, values })
  else await print(table([['OPTION', 'FROM', 'VALUE'], ...values.map(({ key, value, from }) => [key, from.join(', '), shown(value)])]))
  return 0
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (isRecord(value)) return Object.keys(value).length === 0 ? '' : JSON.stringify(value)
  return value === null || value === undefined ? '' : String(value)
}
