// The names of tools that rules and frontmatter may use, and what other hosts call them (SPEC R2.3).

export const toolNames: readonly string[] = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'Edit',
  'Glob',
  'Grep',
  'LSP',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'Skill',
  'Task',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write',
]

export const toolAliases: Readonly<Record<string, string>> = {
  run_shell: 'Bash',
  read_file: 'Read',
  write_file: 'Write',
  edit_file: 'Edit',
  list_files: 'Glob',
  grep_search: 'Grep',
  skill: 'Skill',
}

/** Whether a tool of that name exists here; tools of MCP servers always may. */
export function isKnownTool(name: string): boolean {
  return toolNames.includes(name) || name.startsWith('mcp__')
}
