// Text of others on a terminal: nothing in it may hide, move the cursor or turn the direction of reading.

/** Control and invisible characters escaped, a newline as ⏎. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character =>
    character === '\n' ? '⏎' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
