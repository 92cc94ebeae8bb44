// What ripgrep prints with --null → records. A record is a path, NUL, and the rest of a line; paths may hold newlines, lines no NUL.
// Between records stand notices about binary files, which have no NUL: they are told from the path that follows.

export interface GrepRecord {
  readonly path: string
  /** Other paths that it could be, were a part of its name taken for a notice: each has to be permitted too. */
  readonly suspects: readonly string[]
  readonly line?: number
  readonly text?: string
  readonly isContext?: boolean
  readonly count?: number
}

interface GrepRecords {
  readonly records: readonly GrepRecord[]
  /** Files that were not searched to their end. */
  readonly binaryFiles: readonly string[]
}

const notice = /^(.*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found .* byte around offset \d+\)\n?/s

export function parseRecords(text: string, mode: 'content' | 'files_with_matches' | 'count'): GrepRecords {
  const binaryFiles: string[] = []
  const records: GrepRecord[] = []
  let at = 0
  for (let nul = text.indexOf('\0'); nul !== -1; nul = text.indexOf('\0', at)) {
    const raw = text.slice(at, nul)
    const path = withoutNotices(raw)
    const suspects = path === raw ? [] : [raw]
    if (mode === 'files_with_matches') {
      records.push({ path, suspects })
      at = nul + 1
      continue
    }
    const end = text.indexOf('\n', nul)
    const rest = text.slice(nul + 1, end === -1 ? undefined : end).replace(/\r$/, '')
    at = end === -1 ? text.length : end + 1
    const record = mode === 'count' ? countOf(rest) : lineOf(rest)
    if (record) records.push({ path, suspects, ...record })
  }
  withoutNotices(text.slice(at))
  return { records, binaryFiles }

  function withoutNotices(given: string): string {
    let rest = given
    for (let found = notice.exec(rest); found; found = notice.exec(rest)) {
      binaryFiles.push(found[1] ?? '')
      rest = rest.slice(found[0].length)
    }
    return rest
  }
}

function countOf(rest: string): Pick<GrepRecord, 'count'> | undefined {
  return /^\d+$/.test(rest) ? { count: Number(rest) } : undefined
}

/** `12:text` of a match, `12-text` of context. */
function lineOf(rest: string): Pick<GrepRecord, 'line' | 'text' | 'isContext'> | undefined {
  const [, line, mark, text = ''] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? []
  if (line === undefined) return undefined
  return { line: Number(line), text, ...(mark === '-' ? { isContext: true } : {}) }
}
