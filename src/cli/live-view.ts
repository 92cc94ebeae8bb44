// What a person sees while an agent works: on a terminal one line that changes (skill, tools, tokens, time, what it does now), and
// nothing of it stays; elsewhere one line for each tool. It writes to stderr; results are others' to print.

import { agentSums } from '../agent-summary.ts'
import { shorten } from '../cut-text.ts'
import type { RunEvent } from '../events.ts'
import { note, oneLine, styled } from './output.ts'

export interface LiveView {
  tell(event: RunEvent): void
  /** A line that stays, above the one that changes. */
  note(line: string): void
  /** Takes the changing line away, for good. */
  end(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100
const maxToolChars = 60

export function createLiveView(stream: NodeJS.WriteStream = process.stderr): LiveView {
  const isLive = stream.isTTY && process.env.TERM !== 'dumb'
  let skill = ''
  let toolCalls = 0
  let tokens = 0
  let startedAt = 0
  let now = ''
  let said = ''
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  /** How each call was shown: several run side by side, and which one failed should be seen. */
  const underWay = new Map<string, string>()

  const clear = (): void => {
    clearInterval(timer)
    timer = undefined
    if (isLive) stream.write('\r\u001b[K')
  }
  const draw = (): void => {
    frame = (frame + 1) % frames.length
    const seconds = Math.round((Date.now() - startedAt) / 1_000)
    const line = `${frames[frame]} ${skill} (${agentSums(toolCalls, tokens)}) ${seconds} s ${now}`
    const room = Math.max(20, stream.columns - 1)
    stream.write(`\r\u001b[K${shorten(line, room)}`)
  }
  const show = (line: string): void => {
    const wasLive = timer !== undefined
    clear()
    note(line)
    if (wasLive) timer = setInterval(draw, frameMs)
  }
  /** What the agent said before it went on; its last words are the result. */
  const showSaid = (): void => {
    const text = oneLine(said)
    said = ''
    if (text !== '') show(styled('dim', `  ${shorten(text, 200)}`, stream))
  }

  return {
    note: show,
    end: clear,
    tell: event => {
      if (event.type === 'agent.started') {
        if (event.agentId !== undefined)
          return show(styled('dim', `  agent ${oneLine(event.agentType)} for ${oneLine(event.skill)}`, stream))
        skill = oneLine(event.skill)
        startedAt = event.at
        note(`Invoking skill: ${skill} ${styled('dim', `(${oneLine(event.agentType)}, ${oneLine(event.model)})`, stream)}`)
        if (isLive) timer = setInterval(draw, frameMs)
      } else if (event.type === 'text.delta') {
        said += event.text
        if (said.length > 4_000) said = said.slice(-2_000)
        now = oneLine(said).slice(-60)
      } else if (event.type === 'tool.started') {
        showSaid()
        toolCalls += 1
        // A name is the model's own word, too: it need not be one of a tool.
        now = `${shorten(oneLine(event.tool), maxToolChars)} ${oneLine(event.parameter)}`.trimEnd()
        underWay.set(event.callId, now)
        show(styled('dim', `  ${now}`, stream))
      } else if (event.type === 'tool.finished') {
        const call = underWay.get(event.callId) ?? shorten(oneLine(event.tool), maxToolChars)
        underWay.delete(event.callId)
        const why = event.reason ? `: ${oneLine(event.reason)}` : ''
        if (event.isError) show(styled('yellow', `  ${call} gave an error${why}`, stream))
      } else if (event.type === 'usage') {
        tokens = event.totalTokens
      } else if (event.type === 'model.retried') {
        show(styled('yellow', `  the model is asked again in ${event.delayMs} ms: ${oneLine(event.reason)}`, stream))
      }
    },
  }
}
