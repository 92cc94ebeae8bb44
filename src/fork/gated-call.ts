// A call of a tool as the policy wants it: the command, the path, the address. The input has passed the tool's schema.

import { z } from 'zod'
import type { GatedCall } from '../tool-gate.ts'

const shapes = {
  Bash: z.object({ command: z.string() }),
  file: z.object({ file_path: z.string() }),
  search: z.object({ path: z.string().optional() }),
  WebFetch: z.object({ url: z.string() }),
}

/** @throws for an input that is not the tool's: it was checked before. */
export function gatedCall(tool: string, input: unknown): GatedCall {
  if (tool === 'Bash') return { tool, command: shapes.Bash.parse(input).command }
  if (tool === 'Read' || tool === 'Write' || tool === 'Edit') return { tool, path: shapes.file.parse(input).file_path }
  // Without a folder the workspace is searched.
  if (tool === 'Glob' || tool === 'Grep') return { tool, path: shapes.search.parse(input).path ?? '.' }
  if (tool === 'WebFetch') return { tool, url: shapes.WebFetch.parse(input).url }
  return { tool }
}
