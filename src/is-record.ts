// Whether a value from outside is a map of keys: what is left of JSON and YAML when lists and single values are taken away. Pure.

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
