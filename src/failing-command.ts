// Dialects in which a failing command ends the invocation (SPEC R3.8): which failures do.
// Exit 1 of a program that searches or compares says "nothing found" or "they differ", and is no failure there.

import { type Command, parseBash, type SyntaxNode } from './bash/parse.ts'
import { readWord } from './bash/words.ts'
import type { Dialect } from './dialect.ts'

const searching: ReadonlySet<string> = new Set(['grep', 'rg', 'egrep', 'fgrep', 'find', 'diff', 'test', '['])
const searchingOfGit: ReadonlySet<string> = new Set(['diff', 'grep'])

/** For a command that has failed: whether the invocation ends with it. */
export function endsTheInvocation(dialect: Dialect, script: string, exitCode: number): boolean {
  if (dialect.failingCommand === 'left-in-place') return false
  if (exitCode !== 1) return true
  const { script: parsed, problems } = parseBash(script)
  const last = parsed.commands.at(-1)
  return problems.length > 0 || !last || !finalCommands(last).every(isSearch)
}

/** The simple commands whose status can be that of the whole; a node that is none stands for itself. */
function finalCommands(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'Statement') return finalCommands(node.command)
  if (node.type === 'AndOr') return node.commands.flatMap(finalCommands)
  const lastOfPipe = node.type === 'Pipeline' ? node.commands.at(-1) : undefined
  return lastOfPipe ? finalCommands(lastOfPipe) : [node]
}

function isSearch(node: SyntaxNode): boolean {
  if (node.type === 'TestCommand') return true
  if (node.type !== 'Command' || !node.name) return false
  const name = readWord(node.name).value ?? ''
  return name === 'git' ? searchingOfGit.has(firstArgument(node)) : searching.has(name)
}

function firstArgument({ args }: Command): string {
  const [first] = args
  return first?.type === 'Word' ? (readWord(first).value ?? '') : ''
}
