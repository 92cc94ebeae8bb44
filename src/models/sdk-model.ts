// A Model over one of the AI SDK's providers. We call the provider's doStream() and not the SDK's streamText(): retries, their waits and
// their report are ours, a call is never repeated after a part was given, silence and abort end it at once, and no tool loop, telemetry
// or warning to the console comes with it.

import { SkillcellError } from '../errors.ts'
import { type Answer, type Fault, faultOf } from './fault.ts'
import type { Model, ModelPart, ModelRequest } from './model.ts'
import { createPatience, delay } from './patience.ts'
import { retryDelayMs } from './retry.ts'
import { safeText } from './safe-text.ts'
import type { SdkModel, SdkPart } from './sdk.ts'
import { sdkCall, type Wording } from './sdk-call.ts'
import { createTurnReader, estimateTokens, StreamedError } from './sdk-turn.ts'
import type { ModelSettings } from './settings.ts'
import { createFetch, type Fetch } from './wire.ts'

interface SdkClient {
  readonly name: string
  readonly provider: 'anthropic' | 'openai'
  readonly apiKey: string | undefined
  /** The provider's model over this fetch; made anew for each call. */
  open(fetch: Fetch): SdkModel
  /** How this provider wants a request; without effort when the model took none. */
  wording(request: ModelRequest, withEffort: boolean): Wording
  /** Whether a part that the SDK calls an error is none: an event that this version does not know. */
  isHarmless?(part: SdkPart): boolean
}

export function createSdkModel(client: SdkClient, settings: ModelSettings): Model {
  return {
    name: client.name,
    async *stream(request) {
      // No thinking tokens at all is what a model does that is told nothing.
      let withEffort = request.effort !== undefined && request.effort !== 0
      for (let attempt = 1; ; ) {
        const answer: Answer = {}
        let hasGiven = false
        let fault: Fault
        try {
          for await (const part of oneCall(client, settings, request, withEffort, answer)) {
            hasGiven = true
            yield part
          }
          return
        } catch (error) {
          if (request.signal.aborted) throw request.signal.reason
          fault = faultOf(error instanceof StreamedError ? error.given : error, answer)
        }
        const reason = sentence(fault, client)
        if (hasGiven) throw failed(client, fault, attempt, reason)
        if (withEffort && refusesEffort(fault)) {
          withEffort = false
          yield { type: 'retry', attempt, delayMs: 0, reason: `without the effort, since the model takes none: ${reason}` }
          continue
        }
        if (!fault.isRetryable || attempt >= settings.maxAttempts) throw failed(client, fault, attempt, reason)
        const delayMs = retryDelayMs(attempt, answer.headers, Date.now(), settings)
        yield { type: 'retry', attempt, delayMs, reason }
        await delay(delayMs, request.signal)
        attempt++
      }
    },
  }
}

async function* oneCall(
  client: SdkClient,
  settings: ModelSettings,
  request: ModelRequest,
  withEffort: boolean,
  answer: Answer,
): AsyncGenerator<ModelPart> {
  const patience = createPatience(request.signal, settings)
  const fetch = createFetch({ maxResponseBytes: settings.maxResponseBytes, answer, onBytes: patience.touch })
  let reader: ReadableStreamDefaultReader<SdkPart> | undefined
  try {
    const call = sdkCall(request, client.wording(request, withEffort), patience.signal)
    const { stream } = await patience.wait(client.open(fetch).doStream(call))
    reader = stream.getReader()
    const turn = createTurnReader({
      provider: client.provider,
      estimateInputTokens: () => estimateTokens([call.prompt, call.tools]),
    })
    for (;;) {
      const { done, value } = await patience.wait(reader.read())
      if (done) break
      if (client.isHarmless?.(value) !== true) yield* turn.take(value)
    }
    yield* turn.finish()
  } catch (error) {
    // The SDK may have wrapped our reason; the signal still has it.
    throw patience.signal.aborted ? patience.signal.reason : error
  } finally {
    patience.close()
    // Rejects when the stream has failed, which was told above.
    reader?.cancel().catch(() => {})
  }
}

function refusesEffort({ status, text }: Fault): boolean {
  return status === 400 && /effort|thinking|reasoning/i.test(text)
}

function sentence({ status, text }: Fault, { apiKey }: SdkClient): string {
  return safeText(status === undefined ? text : `status ${status}: ${text}`, apiKey)
}

// No cause goes along: the SDK's errors hold the request with its headers.
function failed({ name, provider }: SdkClient, { status }: Fault, attempts: number, reason: string): SkillcellError {
  const tries = attempts === 1 ? '' : ` after ${attempts} tries`
  return new SkillcellError('MODEL_FAILED', `Cannot get an answer of "${name}"${tries}: ${reason}`, {
    details: { provider, model: name, attempts, ...(status !== undefined && { status }) },
  })
}
