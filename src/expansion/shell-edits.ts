// Replacements in a command text, each in three readings: what runs, what is decided as template, what is decided with the values.

export interface ShellEdit {
  readonly start: number
  readonly end: number
  readonly script: string
  readonly template: string
  readonly literal: string
}

/** Applies edits to `source`. Those that lie inside another, or twice at one place, count once. */
export function applyEdits(source: string, edits: readonly ShellEdit[], reading: 'script' | 'template' | 'literal'): string {
  if (edits.length === 0) return source
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  let text = ''
  let from = 0
  for (const edit of ordered) {
    if (edit.start < from) continue
    text += source.slice(from, edit.start) + edit[reading]
    from = edit.end
  }
  return text + source.slice(from)
}
