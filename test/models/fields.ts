// Reads into JSON whose shape a test knows, without casts at every step.

export type Fields = Readonly<Record<string, unknown>>

/** The value at a path such as `messages.0.content`; undefined where there is none. */
export function at(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.')) found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined
  return found
}
