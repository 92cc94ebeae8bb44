// Reads an awk program as tokens and finds what runs, writes or reads beyond the operands: system, pipes, output, getline, @, ARGV.
// Strings and regular expressions are skipped as awk does; where awks differ about their ends, that is a problem.

/** The first problem of a program, or undefined. Linear time. */
export function awkProblem(program: string): string | undefined {
  const state: State = { text: program, place: 0, before: 'start', brackets: [], printDepth: -1, lastWord: '', lastSign: '' }
  while (state.place < program.length) {
    const problem = readToken(state)
    if (problem) return problem
  }
  return undefined
}

interface State {
  readonly text: string
  place: number
  /** Behind a value a slash divides; elsewhere it begins a regular expression. */
  before: 'start' | 'value' | 'unclear'
  /** Open `(` and `[`; `condition` is that of if, while, for and switch, behind which a statement begins. */
  readonly brackets: ('(' | 'condition' | '[')[]
  /** How many brackets were open at the last print; -1 outside print. */
  printDepth: number
  lastWord: string
  lastSign: string
}

const forbiddenWords: Readonly<Record<string, string>> = {
  system: 'runs a command (system)',
  getline: 'reads from a command or a file (getline)',
  ARGV: 'changes which files are read (ARGV)',
  ARGC: 'changes which files are read (ARGC)',
  SYMTAB: 'reaches every variable (SYMTAB)',
  FUNCTAB: 'reaches every function (FUNCTAB)',
}

// Behind these a value begins, so a slash there begins a regular expression.
const keywords: ReadonlySet<string> = new Set(
  'BEGIN END BEGINFILE ENDFILE print printf return exit if else while for do in delete next nextfile break continue case default switch function func'.split(
    ' ',
  ),
)
const conditionWords: ReadonlySet<string> = new Set(['if', 'while', 'for', 'switch'])

const word = /[A-Za-z_]\w*/y
const number = /(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y

function readToken(state: State): string | undefined {
  const sign = state.text[state.place] ?? ''
  const name = matchAt(word, state)
  if (name !== undefined) return readName(state, name)
  if (matchAt(number, state) !== undefined) {
    state.before = 'value'
    state.lastWord = ''
    state.lastSign = ''
    return undefined
  }
  if (sign === '"') return readString(state)
  if (sign === '/' && state.before !== 'value')
    return state.before === 'start' ? readExpression(state) : 'has a slash of which the meaning is not clear'
  if (sign === '#') {
    const end = state.text.indexOf('\n', state.place)
    state.place = end < 0 ? state.text.length : end
    return undefined
  }
  if (sign === '\\') {
    const next = state.text.slice(state.place + 1, state.place + 3)
    if (!next.startsWith('\n') && next !== '\r\n') return 'has a backslash outside a string'
    state.place += 2
    return undefined
  }
  return readSign(state, sign)
}

function readName(state: State, name: string): string | undefined {
  const problem = forbiddenWords[name]
  if (problem) return problem
  if (name === 'print' || name === 'printf') state.printDepth = state.brackets.length
  state.before = keywords.has(name) ? 'start' : name === 'length' ? 'unclear' : 'value'
  state.lastWord = name
  state.lastSign = ''
  return undefined
}

function readSign(state: State, sign: string): string | undefined {
  const next = state.text[state.place + 1]
  state.place += 1
  switch (sign) {
    case ' ':
    case '\t':
    case '\r':
      return undefined
    case '\n':
      // Behind these, and within brackets, a statement goes on in the next line.
      if (state.brackets.length === 0 && !',&|?:'.includes(state.lastSign || ';')) state.printDepth = -1
      state.before = 'start'
      return undefined
    case ';':
    case '{':
    case '}':
      state.printDepth = -1
      state.before = 'start'
      break
    case '(':
      state.brackets.push(conditionWords.has(state.lastWord) ? 'condition' : '(')
      state.before = 'start'
      break
    case '[':
      state.brackets.push('[')
      state.before = 'start'
      break
    case ')':
    case ']':
      state.before = state.brackets.pop() === 'condition' ? 'start' : 'value'
      break
    case '|':
      if (next !== '|') return 'has a pipe'
      state.place += 1
      state.before = 'start'
      break
    case '&':
      if (next !== '&') return 'has a single "&"'
      state.place += 1
      state.before = 'start'
      break
    case '>':
      if (next === '>') return 'writes a file (>>)'
      if (state.printDepth >= 0 && !state.brackets.slice(state.printDepth).some(bracket => bracket !== '[')) return 'writes a file (>)'
      state.before = 'start'
      break
    case '+':
    case '-':
      // `x++ / 2` divides; `++` before a value leaves the state as it is.
      if (next === sign) state.place += 1
      else state.before = 'start'
      break
    default:
      if (!'$,?:~!^%*/=<'.includes(sign)) return `has a sign that is not known (${sign})`
      state.before = 'start'
  }
  state.lastWord = ''
  state.lastSign = sign
  return undefined
}

function readString(state: State): string | undefined {
  for (let place = state.place + 1; place < state.text.length; place++) {
    const sign = state.text[place]
    if (sign === '\\') place += 1
    else if (sign === '\n') return 'has a string that does not end'
    else if (sign === '"') {
      state.place = place + 1
      state.before = 'value'
      state.lastWord = ''
      state.lastSign = ''
      return undefined
    }
  }
  return 'has a string that does not end'
}

// A slash within brackets ends the expression in one awk and not in another.
function readExpression(state: State): string | undefined {
  let bracket = false
  for (let place = state.place + 1; place < state.text.length; place++) {
    const sign = state.text[place]
    if (sign === '\n') return 'has a regular expression that does not end'
    if (sign === '\\') {
      if (bracket && state.text[place + 1] === '/') return 'has a slash within brackets'
      place += 1
    } else if (sign === '[' && !bracket) {
      bracket = true
      if (state.text[place + 1] === '^') place += 1
      if (state.text[place + 1] === ']') place += 1
    } else if (sign === '[' && bracket && ':.='.includes(state.text[place + 1] ?? ' ')) {
      const end = state.text.indexOf(`${state.text[place + 1]}]`, place + 2)
      if (end < 0) return 'has a regular expression that does not end'
      if (state.text.slice(place, end).includes('/')) return 'has a slash within brackets'
      place = end + 1
    } else if (sign === ']') bracket = false
    else if (sign === '/') {
      if (bracket) return 'has a slash within brackets'
      state.place = place + 1
      state.before = 'value'
      state.lastWord = ''
      state.lastSign = ''
      return undefined
    }
  }
  return 'has a regular expression that does not end'
}

function matchAt(pattern: RegExp, state: State): string | undefined {
  pattern.lastIndex = state.place
  const match = pattern.exec(state.text)
  if (!match) return undefined
  state.place += match[0].length
  return match[0]
}
