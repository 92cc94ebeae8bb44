// Replaces a piece of a file on a decided path, exactly and once unless all are wanted. Keeps encoding, line ends, mode.
// Synchronous on purpose: of two edits of one file the second sees what the first wrote.

import { shorten } from '../cut-text.ts'
import { type DecidedPath, explained, toolFailed } from './decided-path.ts'
import { whyAbsent } from './near-lines.ts'
import { bytesText, maxFileBytes } from './read.ts'
import { checkSeen, hashOf, type ReadLedger } from './read-ledger.ts'
import { lineOf, replaceText } from './replace-text.ts'
import { decodeText, encodeText, encodingOf } from './text-encoding.ts'
import { writeDecided } from './walk.ts'
import { readWhole } from './whole-file.ts'
import { writeWhole } from './write.ts'

interface EditRequest {
  readonly path: DecidedPath
  /** Empty: the file is new. */
  readonly oldString: string
  readonly newString: string
  readonly replaceAll: boolean
}

export interface EditedFile {
  /** As the model named it. */
  readonly path: string
  readonly created: boolean
  readonly replacements: number
  /** Lines around the first change, as they are now. */
  readonly snippet: { readonly firstLine: number; readonly lines: readonly string[] }
}

/** @throws {SkillcellError} TOOL_FAILED, FILE_CHANGED; the old content stands then. */
export function editFile(request: EditRequest, ledger: ReadLedger): EditedFile {
  const { path, oldString, newString, replaceAll } = request
  const what = `edit "${path.shown}"`
  return explained(what, () => {
    if (oldString === newString) throw toolFailed(what, 'old_string and new_string are the same')
    const before = readWhole(path)
    if (oldString === '') {
      if (before)
        throw toolFailed(what, 'old_string is empty, which makes a new file, but it exists; give the text to replace, or use Write')
      writeWhole({ path, content: newString }, ledger)
      return { path: path.shown, created: true, replacements: 0, snippet: snippetOf(newString, 0, newString.length) }
    }
    if (!before) throw toolFailed(what, 'there is no such file; to make it give an empty old_string, or use Write')
    if (!before.bytes) throw toolFailed(what, `it has ${bytesText(Number(before.state.size))}, and at most 10 MiB are edited`)
    checkSeen(ledger, path, before.state, before.bytes)
    const encoding = encodingOf(before.bytes)
    const text = decodeText(before.bytes, encoding)
    if (text === undefined) throw toolFailed(what, 'it is no UTF-8 or UTF-16 text, and writing it back would damage it')
    const result = replaceText(text, { oldString, newString, replaceAll })
    if (result.type === 'absent') throw toolFailed(what, `old_string does not stand in it: ${whyAbsent(text, oldString)}`)
    if (result.type === 'ambiguous')
      throw toolFailed(
        what,
        `old_string stands in it ${result.count} times (lines ${result.lines.join(', ')}${result.count > result.lines.length ? ', …' : ''}); give more of the lines around it, or set replace_all`,
      )
    const bytes = encodeText(result.text, encoding)
    if (bytes.length > maxFileBytes) throw toolFailed(what, `it would have ${bytesText(bytes.length)}, and at most 10 MiB are written`)
    const state = writeDecided(path.real, bytes, { shown: path.shown, expected: before.state })
    ledger.note(path.real, { state, hash: hashOf(bytes) })
    return { path: path.shown, created: false, replacements: result.count, snippet: snippetOf(result.text, result.start, result.length) }
  })
}

const linesAround = 3
const maxSnippetLines = 20
const maxLineChars = 200

function snippetOf(text: string, start: number, length: number): EditedFile['snippet'] {
  const changed = lineOf(text, start)
  const firstLine = Math.max(1, changed - linesAround)
  const last = Math.min(lineOf(text, Math.max(start, start + length - 1)) + linesAround, firstLine + maxSnippetLines - 1)
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n', last).slice(firstLine - 1)
  return { firstLine, lines: lines.map(line => shorten(line.replace(/\r$/, ''), maxLineChars)) }
}
