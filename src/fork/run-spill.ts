// The long texts of one run: kept whole in a private file, with a preview in their place (SPEC R8.6, as R4.5). To the model a file is a
// token, never a path of the host, and Read opens the files of its own run only (SPEC R16.9).

import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Limits } from '../limits.ts'
import { createTextCap } from '../shell/output.ts'
import { ensureStateFolder } from '../state.ts'

export interface KeptText {
  readonly text: string
  readonly truncated: boolean
  /** Of the host; holds the whole text, mode 0600. */
  readonly spillPath?: string
}

export interface RunSpill {
  /** The text, or a preview of it and where the whole is. */
  keep(text: string): KeptText
  /** A text for the model: the path of a spill file becomes its token. */
  withToken(text: string, spillPath: string | undefined): string
  /** The file of a token; undefined for any other path. */
  fileOf(path: string): string | undefined
}

const place = '/run/skillcell/spill'

/** @param folder private state of the tenant, `…/spill` */
export function createRunSpill(folder: string, runId: string, { maxResultChars, previewChars }: Limits): RunSpill {
  const files = new Map<string, string>()
  let count = 0
  return {
    keep: text => {
      const cap = createTextCap({ maxOutputChars: maxResultChars, previewChars, trim: 'trailing-newlines' })
      cap.push(text)
      const kept = cap.finish()
      if (!kept.truncated) return { text: kept.text, truncated: false }
      ensureStateFolder(folder)
      count += 1
      const spillPath = join(folder, `${runId}-${count}`)
      writeFileSync(spillPath, text, { mode: 0o600, flag: 'wx' })
      return {
        text: `${kept.text}\n\n[Output truncated (${kept.chars} chars). Full output saved to: ${spillPath}]`,
        truncated: true,
        spillPath,
      }
    },
    withToken: (text, spillPath) => {
      if (spillPath === undefined) return text
      const token = `${place}/${basename(spillPath)}`
      files.set(token, spillPath)
      return text.replaceAll(spillPath, token)
    },
    fileOf: path => files.get(path),
  }
}
