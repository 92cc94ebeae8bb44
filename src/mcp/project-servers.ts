// The servers that a project names in `.mcp.json` (SPEC R16.6). The file comes with the project, and a server is a program that runs: only
// a trusted project has any. Each entry is checked for itself; what other hosts write beside the known keys is ignored.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, isSystemError, messageOf } from '../errors.ts'
import { isRecord } from '../is-record.ts'
import { readPlainFile } from '../plain-file.ts'
import { schemaProblem } from '../schema-problem.ts'
import { type McpServer, mcpServersSchema } from '../source-options.ts'

interface ProjectServers {
  readonly servers: Readonly<Record<string, McpServer>>
  readonly diagnostics: readonly Diagnostic[]
}

const maxBytes = 1024 * 1024
const knownKeys = ['type', 'command', 'args', 'env', 'url', 'headers']

/** Never throws. `environment` fills `${NAME}` and `${NAME:-default}`. */
export function readProjectServers(
  workspace: string,
  { isTrusted, environment }: { readonly isTrusted: boolean; readonly environment: NodeJS.ProcessEnv },
): ProjectServers {
  const path = join(workspace, '.mcp.json')
  const diagnostics: Diagnostic[] = []
  const tell = (message: string): void => {
    diagnostics.push({ code: 'MCP_CONFIG', severity: 'warning', message, path })
  }
  const entries = readEntries(path, tell)
  const servers: Record<string, McpServer> = {}
  if (entries.length > 0 && !isTrusted) {
    tell(`Left out ${entries.length} MCP servers of "${path}": the project is not trusted, and a server is a program that runs`)
    return { servers, diagnostics }
  }
  for (const [name, entry] of entries) {
    const missing = new Set<string>()
    const known = isRecord(entry) ? Object.fromEntries(Object.entries(entry).filter(([key]) => knownKeys.includes(key))) : entry
    const filled = fill(known, environment, missing)
    const parsed = mcpServersSchema.safeParse(Object.fromEntries([[name, filled]]))
    const [server] = parsed.success ? Object.values(parsed.data) : []
    if (missing.size > 0) tell(`Left out the MCP server ${JSON.stringify(name)}: ${[...missing].join(', ')} is not set`)
    else if (server === undefined)
      tell(`Left out the MCP server ${JSON.stringify(name)}: ${parsed.error ? schemaProblem(parsed.error) : 'it cannot be read'}`)
    else servers[name] = server
  }
  return { servers, diagnostics }
}

function readEntries(path: string, tell: (message: string) => void): readonly (readonly [string, unknown])[] {
  let text: string
  try {
    text = readPlainFile(path, maxBytes)
  } catch (error) {
    // An empty folder is what a cell shows in its place, so that no command makes it.
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR') && !isEmptyFolder(path)) tell(`Cannot read "${path}": ${messageOf(error)}`)
    return []
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    const servers = isRecord(value) && Object.hasOwn(value, 'mcpServers') ? value.mcpServers : undefined
    if (servers === undefined || isRecord(servers)) return Object.entries(servers ?? {})
    tell(`Cannot use "${path}": "mcpServers" is no map`)
  } catch {
    tell(`Cannot use "${path}": it is no JSON`)
  }
  return []
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}

function fill(value: unknown, environment: NodeJS.ProcessEnv, missing: Set<string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
      const found = environment[name] ?? fallback
      if (found === undefined) missing.add(name)
      return found ?? ''
    })
  }
  if (Array.isArray(value)) return value.map(each => fill(each, environment, missing))
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, environment, missing)])) : value
}
