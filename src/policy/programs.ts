// Whether a program given as an operand (a sed script, an awk program, a jq filter) only computes.
// Each is an accept-list grammar: what does not fit is a problem, in words that follow "the program …".

import { awkProblem } from '../bash/awk-program.ts'
import { sedProblem } from '../bash/sed-program.ts'
import { jqProblem } from './jq-program.ts'

export { awkProblem, jqProblem, sedProblem }

/** The first thing in a program that may run, write or read beyond its input; undefined when there is none. */
export function programProblem(language: 'sed' | 'awk' | 'jq', program: string): string | undefined {
  if (language === 'sed') return sedProblem(program)
  return language === 'awk' ? awkProblem(program) : jqProblem(program)
}
