// Cuts bytes that come in chunks into lines. A line longer than any the writer makes is not kept, so memory stays flat on any file.

/** Bytes of the longest line that is written. */
export const maxLineBytes: number = 1024 * 1024

export interface AuditLine {
  /** Without the newline; undefined when it is longer than `maxLineBytes`. */
  readonly bytes: Buffer | undefined
  /** With the newline. */
  readonly length: number
  /** False for what stands behind the last newline of the file. */
  readonly terminated: boolean
}

export interface LineCutter {
  push(chunk: Buffer): void
  end(): void
}

export function createLineCutter(onLine: (line: AuditLine) => void): LineCutter {
  let kept: Buffer[] = []
  let length = 0

  const add = (piece: Buffer): void => {
    length += piece.length
    // Copied: the caller reads into the same buffer again.
    if (length <= maxLineBytes) kept.push(Buffer.from(piece))
    else kept = []
  }
  const finish = (terminated: boolean): void => {
    const bytes = length <= maxLineBytes ? Buffer.concat(kept) : undefined
    const whole = length + (terminated ? 1 : 0)
    kept = []
    length = 0
    onLine({ bytes, length: whole, terminated })
  }

  return {
    push: chunk => {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        add(chunk.subarray(start, end))
        finish(true)
        start = end + 1
      }
      if (start < chunk.length) add(chunk.subarray(start))
    },
    end: () => {
      if (length > 0) finish(false)
    },
  }
}

const newline = 0x0a
