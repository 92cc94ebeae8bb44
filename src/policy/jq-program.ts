// Reads a jq filter as tokens and finds what reaches beyond its input: modules, the environment, the names of files.
// Strings are read with their `\( … )` parts, which are code again.

/** The first problem of a filter, or undefined. Linear time. */
export function jqProblem(filter: string): string | undefined {
  // Open brackets; `"` is a string whose `\(` is being read.
  const open: string[] = []
  let place = 0
  while (place < filter.length) {
    const sign = filter.charAt(place)
    if (sign === '"') {
      const end = readString(filter, place + 1)
      if (end === undefined) return 'has a string that does not end'
      if (end.inner) open.push('"')
      place = end.place
    } else if (sign === '#') {
      const end = filter.indexOf('\n', place)
      const comment = filter.slice(place, end < 0 ? undefined : end)
      // jq 1.7 goes on with the comment behind a backslash, jq 1.6 does not.
      if (/\\\r?$/.test(comment)) return 'has a comment with a backslash at its end'
      place = end < 0 ? filter.length : end
    } else if ('([{'.includes(sign)) {
      open.push(sign)
      place += 1
    } else if (')]}'.includes(sign)) {
      const opened = open.pop()
      if (opened === undefined) return `has a "${sign}" that nothing opened`
      place += 1
      if (opened === '"') {
        if (sign !== ')') return 'has a string that does not end'
        const end = readString(filter, place)
        if (end === undefined) return 'has a string that does not end'
        if (end.inner) open.push('"')
        place = end.place
      }
    } else {
      word.lastIndex = place
      const match = word.exec(filter)
      const problem = match && wordProblem(match[0])
      if (problem) return problem
      if (!match && sign === '\\') return 'has a backslash outside a string'
      place += match?.[0].length ?? 1
    }
  }
  return open.length > 0 ? `has a "${open.at(-1) === '"' ? '\\(' : open.at(-1)}" that nothing closes` : undefined
}

const word = /(?:\.|[$@][ \t]*)?[A-Za-z_][\w:]*/y

const forbiddenWords: Readonly<Record<string, string>> = {
  import: 'reads a module (import)',
  include: 'reads a module (include)',
  modulemeta: 'reads a module (modulemeta)',
  get_search_list: 'reads where modules are (get_search_list)',
  input_filename: 'reads the name of the file (input_filename)',
  env: 'reads the environment (env)',
  $ENV: 'reads the environment ($ENV)',
}

function wordProblem(text: string): string | undefined {
  // A field (`.env`) is data.
  if (text.startsWith('.') || text.startsWith('@')) return undefined
  const name = text.replace(/[ \t]/g, '')
  if (name.includes('::')) return `uses a module (${name})`
  return Object.hasOwn(forbiddenWords, name) ? forbiddenWords[name] : undefined
}

function readString(filter: string, from: number): { readonly place: number; readonly inner: boolean } | undefined {
  for (let place = from; place < filter.length; place++) {
    const sign = filter.charAt(place)
    if (sign === '"') return { place: place + 1, inner: false }
    if (sign === '\\') {
      if (filter.charAt(place + 1) === '(') return { place: place + 2, inner: true }
      place += 1
    }
  }
  return undefined
}
