// Regular expressions of others, in time linear in pattern × text: no pattern can stall the host. The meaning is JavaScript's, unanchored;
// what cannot be matched so (a back-reference, a look-behind, a pattern that is too large) is refused, never guessed.

import { messageOf } from '../errors.ts'
import { type PatternNode, parsePattern } from './pattern-nodes.ts'

type LinearPattern = { readonly test: (text: string) => boolean } | { readonly problem: string }

export const maxPatternChars = 500
/** A longer text is no name of a tool, an agent or a command, and is not compared: whoever asks decides what that means. */
export const maxMatchedChars = 256
const maxSteps = 1_000

type Step =
  | { readonly type: 'unit'; readonly test: (unit: string) => boolean; readonly next: number }
  | { readonly type: 'edge'; readonly edge: string; readonly next: number }
  | { readonly type: 'either'; readonly ways: readonly number[] }
  | { readonly type: 'look'; readonly wanted: boolean; readonly start: number; readonly next: number }
  | { readonly type: 'end' }

interface Program {
  readonly steps: readonly Step[]
  readonly start: number
  /** Ranges of steps to be settled one after the other: what a look-ahead looks for, then what asks it. */
  readonly ranges: readonly (readonly [number, number])[]
}

export function compileLinear(pattern: string): LinearPattern {
  if (pattern.length > maxPatternChars) return { problem: `it has ${pattern.length} characters, and ${maxPatternChars} are the limit` }
  try {
    new RegExp(pattern)
    const program = programOf(parsePattern(pattern))
    return { test: text => text.length <= maxMatchedChars && isFound(program, text) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

function programOf(root: PatternNode): Program {
  const steps: Step[] = []
  const ranges: (readonly [number, number])[] = []
  let work = 0
  const add = (step: Step): number => steps.push(step) - 1
  // Built from the end: each part is given the step that follows it.
  const compile = (node: PatternNode, next: number): number => {
    work += 1
    if (steps.length > maxSteps || work > 4 * maxSteps) throw new Error('it is too large once its counts are written out')
    switch (node.type) {
      case 'unit':
        return add({ type: 'unit', test: node.test, next })
      case 'edge':
        return add({ type: 'edge', edge: node.edge, next })
      case 'sequence':
        return node.parts.reduceRight((after, part) => compile(part, after), next)
      case 'either':
        return add({ type: 'either', ways: node.ways.map(way => compile(way, next)) })
      case 'look': {
        const from = steps.length
        const start = compile(node.part, add({ type: 'end' }))
        ranges.push([from, steps.length])
        return add({ type: 'look', wanted: node.wanted, start, next })
      }
      case 'repeat':
        return repeat(node, next)
    }
  }
  const repeat = ({ part, min, max }: Extract<PatternNode, { type: 'repeat' }>, next: number): number => {
    let after = next
    if (max === Number.POSITIVE_INFINITY) {
      const ways: number[] = []
      after = add({ type: 'either', ways })
      ways.push(compile(part, after), next)
    } else for (let left = max - min; left > 0; left--) after = add({ type: 'either', ways: [compile(part, after), next] })
    for (let left = min; left > 0; left--) after = compile(part, after)
    return after
  }
  const start = compile(root, add({ type: 'end' }))
  return { steps, start, ranges: [...ranges, [0, steps.length]] }
}

/** From the last place to the first: which steps lead to their end from there. Only the place behind has to be known. */
function isFound({ steps, start, ranges }: Program, text: string): boolean {
  let behind = new Uint8Array(steps.length)
  for (let place = text.length; place >= 0; place--) {
    const here = new Uint8Array(steps.length)
    for (const [from, to] of ranges) settle(steps, here, behind, text, place, from, to)
    if (here[start] === 1) return true
    behind = here
  }
  return false
}

// A loop leads back to steps of a higher number, the rest to lower ones: walking both ways settles most patterns in two passes.
function settle(steps: readonly Step[], here: Uint8Array, behind: Uint8Array, text: string, place: number, from: number, to: number): void {
  const look = (index: number): boolean => {
    const step = steps[index]
    if (here[index] === 1 || !step || !leads(step, here, behind, text, place)) return false
    here[index] = 1
    return true
  }
  for (let changed = true; changed; ) {
    changed = false
    for (let index = from; index < to; index++) if (look(index)) changed = true
    for (let index = to - 1; index >= from; index--) if (look(index)) changed = true
  }
}

function leads(step: Step, here: Uint8Array, behind: Uint8Array, text: string, place: number): boolean {
  switch (step.type) {
    case 'end':
      return true
    case 'unit':
      return place < text.length && behind[step.next] === 1 && step.test(text.charAt(place))
    case 'edge':
      return here[step.next] === 1 && isEdge(step.edge, text, place)
    case 'either':
      return step.ways.some(way => here[way] === 1)
    case 'look':
      return here[step.next] === 1 && (here[step.start] === 1) === step.wanted
  }
}

function isEdge(edge: string, text: string, place: number): boolean {
  if (edge === '^') return place === 0
  if (edge === '$') return place === text.length
  const isBorder = /^\w/.test(text.slice(place, place + 1)) !== /^\w/.test(place === 0 ? '' : text.charAt(place - 1))
  return isBorder === (edge === '\\b')
}
