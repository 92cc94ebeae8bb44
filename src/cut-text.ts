// Cutting a text to a length, in UTF-16 units, so that no character is split: half a character cannot be written to any file or wire.
// Pure. Leaves to others what stands in place of what is gone, but for the one sign of `shorten`.

/** The first `maxChars` units at most, or one less where that would split a character. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const end = Math.max(0, maxChars)
  const last = text.charCodeAt(end - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)
}

/** At most `maxChars` units, the last of them `…` when something is gone. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutText(text, maxChars - 1)}…`
}

/** The text with the replacement character for each half of a character that stands alone. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
