// The request over the network, under our own rules: no redirect is followed (it would carry the key to another host), the answer has a
// size limit and must be an event stream, and every byte of it is told to whoever watches for silence.

import { type Answer, modelFault } from './fault.ts'

export type Fetch = typeof globalThis.fetch

interface WireOptions {
  readonly maxResponseBytes: number
  /** Told the status and headers as soon as they are there. */
  readonly answer: Answer
  onBytes(): void
}

/** More of an error body says nothing more. */
const maxErrorBytes = 256 * 1024

export function createFetch({ maxResponseBytes, answer, onBytes }: WireOptions): Fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, { ...init, redirect: 'manual' })
    answer.status = response.status
    answer.headers = response.headers
    onBytes()
    const refusal = refusalOf(response)
    if (refusal !== undefined) {
      await response.body?.cancel()
      throw modelFault(refusal, false)
    }
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const body = response.body.pipeThrough(response.ok ? bounded(maxResponseBytes, onBytes) : shortened(onBytes))
    return new Response(body, { status, statusText, headers })
  }
}

function refusalOf(response: Response): string | undefined {
  if (response.status >= 300 && response.status < 400)
    return `the server sends the call on to another address (status ${response.status}), and a key is not carried along; give the final address`
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  // Some servers name no type or a loose one; a page or a document is never a stream of events.
  if (response.ok && type !== undefined && /^(text\/html|application\/(json|xml)|text\/xml|image\/.*)$/.test(type))
    return `the server answered with ${type} and not with a stream of events; look whether the address is that of the API`
  return undefined
}

/** Ends the stream with an error past the limit. */
function bounded(maxBytes: number, onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes()
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw modelFault(`the answer is larger than ${maxBytes.toLocaleString('en-US')} bytes`, false)
      controller.enqueue(chunk)
    },
  })
}

/** Leaves out what is past the limit. */
function shortened(onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  let left = maxErrorBytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes()
      controller.enqueue(chunk.subarray(0, left))
      left -= Math.min(left, chunk.byteLength)
      if (left === 0) controller.terminate()
    },
  })
}
