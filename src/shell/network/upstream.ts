// Connects to one of the addresses that were decided, and carries bytes both ways through a tunnel. Every socket has an idle limit.
// Promises that both ends are gone when one has failed, was idle too long, or both have ended.

import { connect, type Socket } from 'node:net'

/** Tries the addresses one after the other. Rejects with the last failure, or with the reason of the signal. */
export async function connectFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown = new Error('there is no address')
  for (const address of addresses) {
    try {
      return await connectOne(address, port, signal)
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    }
  }
  throw failure
}

function connectOne(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
    const fail = (reason: unknown) => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(reason)
    }
    const abort = () => fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    // Stays: once connected, a failure is seen by `close`.
    socket.on('error', fail)
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort)
      resolve(socket)
    })
  })
}

/** A half that has ended stays open the other way; without a byte either way for `idleMs` both are ended. */
export function tunnel(client: Socket, upstream: Socket, head: Buffer, idleMs: number): void {
  const ends = [client, upstream] as const
  for (const [from, to] of [ends, [upstream, client] as const]) {
    from.on('error', () => undefined)
    from.setTimeout(idleMs, () => from.destroy())
    from.once('close', () => {
      // What it sent last is still delivered; there is nobody left to read an answer.
      if (from.readableEnded && !to.writableFinished) to.once('finish', () => to.destroy())
      else to.destroy()
    })
    from.pipe(to)
  }
  if (head.length > 0) upstream.write(head)
}
