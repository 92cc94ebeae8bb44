// Groups of fsyncs: what was appended within a few milliseconds goes to the disk in one. A checkpoint follows the first of them at once, the others
// within a quarter of a second and at the end: it costs as much as the fsync, and its rename stops the thread.
// It owns the timers and the order; what a sync and a checkpoint are comes in.

interface AuditGroups {
  /** Something was appended. @throws what stopped the groups: after a failed sync nobody knows what is on the disk. */
  mark(): void
  /** Throws what stopped the groups. */
  check(): void
  /** Resolves when all that was marked before is on the disk; rejects when that failed. */
  flush(): Promise<void>
  /** Flushes, writes the last checkpoint and ends the timer. */
  close(): Promise<void>
}

interface GroupWork<Position> {
  readonly delayMs: number
  readonly position: () => Position
  /** Resolves when the file is on the disk. */
  readonly sync: () => Promise<void>
  /** Signs what is on the disk. A failure is tried again; until then nothing more is appended. */
  readonly checkpoint: (position: Position) => Promise<void>
}

/** Between two tries to write a checkpoint, such as on a full disk. */
const retryMs = 250

/** Between two checkpoints while entries come in one after the other. */
const checkpointEveryMs = 250

export function createAuditGroups<Position>({ delayMs, position, sync, checkpoint }: GroupWork<Position>): AuditGroups {
  /** Appends so far, and those that are on the disk and signed. */
  let marked = 0
  let synced = 0
  let signed = 0
  let signedAt = Number.NEGATIVE_INFINITY
  let closing = false
  let timer: NodeJS.Timeout | undefined
  let checkpointTimer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let broken: { readonly error: unknown } | undefined
  let unsigned: { readonly error: unknown } | undefined
  let waiters: { readonly upTo: number; resolve(): void; reject(error: unknown): void }[] = []

  const arm = (afterMs: number): void => {
    timer ??= setTimeout(start, afterMs)
  }
  const disarm = (): void => {
    clearTimeout(timer)
    clearTimeout(checkpointTimer)
    timer = undefined
    checkpointTimer = undefined
  }
  const start = (): void => {
    disarm()
    round ??= perform().finally(() => {
      round = undefined
      if (broken) return
      if (waiters.length > 0) start()
      // Nobody waits for a retry: it must not hold the process.
      else if (unsigned) setRetry()
      else if (marked > synced) arm(delayMs)
      else if (marked > signed) checkpointTimer ??= setTimeout(start, untilCheckpoint())
    })
  }
  const untilCheckpoint = (): number => Math.max(0, signedAt + checkpointEveryMs - performance.now())
  const setRetry = (): void => {
    arm(retryMs)
    timer?.unref()
  }

  const perform = async (): Promise<void> => {
    const upTo = marked
    const place = position()
    try {
      if (upTo > synced) await sync()
      synced = upTo
      settle()
    } catch (error) {
      broken = { error }
      settle()
      return
    }
    if (!closing && unsigned === undefined && untilCheckpoint() > 0) return
    try {
      await checkpoint(place)
      signed = upTo
      signedAt = performance.now()
      unsigned = undefined
    } catch (error) {
      unsigned = { error }
    }
  }
  const settle = (): void => {
    const open = waiters
    waiters = []
    for (const waiter of open) {
      if (waiter.upTo <= synced) waiter.resolve()
      else if (broken) waiter.reject(broken.error)
      else waiters.push(waiter)
    }
  }

  const check = (): void => {
    const stop = broken ?? unsigned
    if (stop) throw stop.error
  }
  const flush = (): Promise<void> => {
    if (broken) return Promise.reject(broken.error)
    if (synced === marked) return Promise.resolve()
    return new Promise((resolve, reject) => {
      waiters.push({ upTo: marked, resolve, reject })
      start()
    })
  }

  return {
    mark: () => {
      marked += 1
      if (round === undefined) arm(delayMs)
    },
    check,
    flush,
    close: async () => {
      closing = true
      try {
        await flush()
        await round
        // Once more for what has no checkpoint yet; it was tried, now it is told.
        if (marked > signed) {
          start()
          await round
        }
        check()
      } finally {
        disarm()
      }
    },
  }
}
