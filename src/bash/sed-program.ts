// Reads a sed script as GNU sed does and finds what runs or touches files: e, w, W, r, R and the flags e and w of s.
// Several -e scripts are joined by newlines before they come here. What the grammar does not know is a problem.

/** The first problem of a script, or undefined. Linear time. */
export function sedProblem(script: string): string | undefined {
  const cursor: Cursor = { text: script, place: 0 }
  while (cursor.place < script.length) {
    skip(cursor, ' \t\n;')
    if (cursor.place >= script.length) break
    const problem = readAddresses(cursor) ?? readCommand(cursor)
    if (problem) return problem
  }
  return undefined
}

interface Cursor {
  readonly text: string
  place: number
}

const plainCommands = 'dDgGhHnNpPxzF='
const labelCommands = 'btT:'
const numberedCommands = 'lqQL'
const fileCommands: Readonly<Record<string, string>> = {
  e: 'runs a command (e)',
  w: 'writes a file (w)',
  W: 'writes a file (W)',
  r: 'reads another file (r)',
  R: 'reads another file (R)',
}

function readAddresses(cursor: Cursor): string | undefined {
  for (let count = 0; count < 2; count++) {
    const problem = readAddress(cursor, count > 0)
    if (problem) return problem
    skip(cursor, ' \t')
    if (cursor.text[cursor.place] !== ',') break
    cursor.place += 1
    skip(cursor, ' \t')
  }
  skip(cursor, ' \t!')
  return undefined
}

function readAddress(cursor: Cursor, second: boolean): string | undefined {
  const sign = cursor.text[cursor.place]
  if (sign === undefined) return undefined
  if (sign === '$') cursor.place += 1
  else if (isDigit(sign) || (second && (sign === '+' || sign === '~'))) {
    cursor.place += 1
    skip(cursor, '0123456789')
    skip(cursor, ' \t')
    if (cursor.text[cursor.place] === '~') {
      cursor.place += 1
      skip(cursor, '0123456789')
    }
  } else if (sign === '/' || sign === '\\') {
    cursor.place += sign === '/' ? 0 : 1
    const problem = readDelimited(cursor, 1, 'an address')
    if (problem) return problem
    skip(cursor, 'IM')
  }
  return undefined
}

function readCommand(cursor: Cursor): string | undefined {
  const command = cursor.text[cursor.place]
  if (command === undefined) return 'ends after an address'
  cursor.place += 1
  if (command === '{') return undefined
  if (command === '}' || plainCommands.includes(command)) return readEnd(cursor)
  if (command === '#') {
    skipLine(cursor)
    return undefined
  }
  if (labelCommands.includes(command)) {
    skip(cursor, ' \t')
    while (/[\w.-]/.test(cursor.text[cursor.place] ?? ' ')) cursor.place += 1
    return readEnd(cursor)
  }
  if (numberedCommands.includes(command)) {
    skip(cursor, ' \t0123456789')
    return readEnd(cursor)
  }
  if (command === 'a' || command === 'i' || command === 'c') return readText(cursor)
  if (command === 's') return readDelimited(cursor, 2, 's') ?? readFlags(cursor)
  if (command === 'y') return readDelimited(cursor, 2, 'y') ?? readEnd(cursor)
  return fileCommands[command] ?? `has a command that is not known (${command})`
}

function readFlags(cursor: Cursor): string | undefined {
  for (;;) {
    const flag = cursor.text[cursor.place]
    if (flag === 'e') return 'runs what it made (the flag e of s)'
    if (flag === 'w') return 'writes a file (the flag w of s)'
    if (flag === undefined || !'gpiImM0123456789'.includes(flag)) return readEnd(cursor)
    cursor.place += 1
  }
}

function readEnd(cursor: Cursor): string | undefined {
  skip(cursor, ' \t')
  const sign = cursor.text[cursor.place]
  if (sign === undefined || sign === ';' || sign === '\n' || sign === '}' || sign === '#') return undefined
  return `has "${sign}" where a command should end`
}

// The text ends at a newline that no backslash precedes. "a\" followed by blanks and a newline is read differently by each sed.
function readText(cursor: Cursor): string | undefined {
  const from = cursor.place
  for (; cursor.place < cursor.text.length; cursor.place++) {
    const sign = cursor.text[cursor.place]
    if (sign === '\\') {
      if (/^\\[ \t]+\n/.test(cursor.text.slice(cursor.place, cursor.place + 64))) return 'has blanks behind the backslash of a text'
      cursor.place += 1
    } else if (sign === '\n') break
  }
  return cursor.place === from ? 'has a text command without a text' : undefined
}

// `s/a/b/`, `y,a,b,`, `/re/`: a delimiter and `parts` parts that each end with it.
function readDelimited(cursor: Cursor, parts: number, what: string): string | undefined {
  const delimiter = cursor.text[cursor.place]
  if (delimiter === undefined || delimiter === '\\' || delimiter === '\n' || delimiter > '~') return `has ${what} without a delimiter`
  cursor.place += 1
  for (let part = 0; part < parts; part++) {
    const from = cursor.place
    for (; cursor.text[cursor.place] !== delimiter; cursor.place++) {
      const sign = cursor.text[cursor.place]
      if (sign === undefined || sign === '\n') return `has ${what} that does not end`
      if (sign === '\\') cursor.place += 1
    }
    // One sed ends the part at a delimiter within brackets, another does not: then it is not known what the rest is.
    if (part === 0 && what !== 'y' && endsInBrackets(cursor.text.slice(from, cursor.place)))
      return `has the delimiter of ${what} within brackets`
    cursor.place += 1
  }
  return undefined
}

function endsInBrackets(expression: string): boolean {
  for (let place = 0; place < expression.length; place++) {
    if (expression[place] === '\\') place += 1
    else if (expression[place] === '[') {
      const close = closingBracket(expression, place)
      if (close < 0) return true
      place = close
    }
  }
  return false
}

function closingBracket(expression: string, open: number): number {
  let place = open + 1
  if (expression[place] === '^') place += 1
  if (expression[place] === ']') place += 1
  for (; place < expression.length; place++) {
    const sign = expression[place]
    if (sign === ']') return place
    const next = expression[place + 1]
    if (sign === '[' && (next === ':' || next === '.' || next === '=')) {
      const end = expression.indexOf(`${next}]`, place + 2)
      if (end < 0) return -1
      place = end + 1
    }
  }
  return -1
}

function skip(cursor: Cursor, signs: string): void {
  for (let sign = cursor.text[cursor.place]; sign !== undefined && signs.includes(sign); sign = cursor.text[cursor.place]) cursor.place += 1
}

function skipLine(cursor: Cursor): void {
  const end = cursor.text.indexOf('\n', cursor.place)
  cursor.place = end < 0 ? cursor.text.length : end
}

function isDigit(sign: string): boolean {
  return sign >= '0' && sign <= '9'
}
