// Limits of a call to a model, each with its reason. create-model.ts takes others in their place.

export interface ModelSettings {
  /** Calls of one turn, the first included. */
  readonly maxAttempts: number
  /** Wait before the second try; it doubles with each further one, and the true wait is drawn between 0 and that (full jitter). */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  /** Most of a `retry-after` that is waited: a server may name hours. */
  readonly maxRetryAfterMs: number
  /** From the request to the first byte of the answer. A long prompt on a slow server takes its time. */
  readonly firstByteMs: number
  /** Between two bytes of an answer, while we wait for them. Pings count as life. Under the 300 s after which fetch itself gives up. */
  readonly silenceMs: number
  /** Of one answer, unpacked. A turn of 128,000 tokens is about 20 MB on the wire; more is a server gone wild. */
  readonly maxResponseBytes: number
  /** In [0, 1). */
  readonly random: () => number
}

export const modelSettings: ModelSettings = {
  maxAttempts: 4,
  backoffMs: 1_000,
  maxBackoffMs: 20_000,
  maxRetryAfterMs: 60_000,
  firstByteMs: 120_000,
  silenceMs: 180_000,
  maxResponseBytes: 64 * 1024 * 1024,
  random: Math.random,
}
