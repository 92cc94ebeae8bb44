// How lists and quotes read as text, in time that does not grow with their depth. Those of the library write each line anew for each level
// that it is in: ninety quotes around a long text took 40 s.

import type { Builder, Element, Formatter, Walk } from 'html-to-text'

const maxIndent = 8

/** Items of a list: a bullet or a number before the first line, two blanks for each list around it. */
export function listItem(element: Element, walk: Walk, builder: Builder): void {
  const depth = countAround(element, name => name === 'ul' || name === 'ol')
  const prefix = `${'  '.repeat(Math.min(Math.max(depth - 1, 0), maxIndent))} ${markOf(element)} `
  builder.openBlock({ leadingLineBreaks: 1 })
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: 1, blockTransform: text => prefix + text })
}

/** A quote in a quote is none of its own. */
export function quote(element: Element, walk: Walk, builder: Builder): void {
  const isOutermost = countAround(element, name => name === 'blockquote') === 0
  builder.openBlock({ leadingLineBreaks: 2 })
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: 2, ...(isOutermost && { blockTransform: text => `> ${text.replaceAll('\n', '\n> ')}` }) })
}

export const formatters: Readonly<Record<string, Formatter>> = { listItem, quote }

const counts = new WeakMap<Element, number>()

function markOf({ parent }: Element): string {
  if (parent?.name !== 'ol') return '*'
  const start = Number.parseInt(parent.attribs?.start ?? '', 10)
  const number = counts.get(parent) ?? (Number.isSafeInteger(start) ? start : 1)
  counts.set(parent, number + 1)
  return `${number}.`
}

function countAround(element: Element, isWanted: (name: string | undefined) => boolean): number {
  let count = 0
  for (let above = element.parent; above; above = above.parent) if (isWanted(above.name)) count += 1
  return count
}
