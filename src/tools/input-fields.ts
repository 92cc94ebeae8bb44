// What the inputs of several tools share: a path as a field, and the one line that shows a call.

import { z } from 'zod'
import { cutText } from '../cut-text.ts'
import { visibleText } from '../visible-text.ts'

/** Of the system, in bytes; a longer path can name nothing. */
const maxPathChars = 4_096
const maxShownChars = 120

export function pathField(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(maxPathChars)
    .refine(path => !path.includes('\0'), 'A path holds no NUL')
    .describe(description)
}

/** The path of a file: one that ends as a folder's does would be taken for the file of that name. */
export function filePathField(description: string): z.ZodString {
  return pathField(description).refine(path => !/\/\.{0,2}$/.test(path), 'It ends as the path of a folder does, and a file is wanted')
}

/** One line of at most 120 characters in which nothing is hidden. */
export function oneLine(text: string): string {
  // No more than could be shown is looked at: a command may have megabytes.
  const line = visibleText(
    text
      .slice(0, maxShownChars * 4)
      .trim()
      .replace(/\s+/g, ' '),
  )
  if (line.length <= maxShownChars && text.length <= maxShownChars * 4) return line
  return `${cutText(line, maxShownChars - 1)}…`
}
