// The skills of a runtime: files of the homes, plugins, what comes along in the program, prompts of MCP servers. A server is asked when
// somebody first asks for skills, and no program of one starts before.

import type { Diagnostic } from './errors.ts'
import { splitArguments } from './expansion/arguments.ts'
import { readHooks } from './hooks/read-hooks.ts'
import { readProjectServers } from './mcp/project-servers.ts'
import { checkRule } from './policy/rule.ts'
import type { Setup } from './setup.ts'
import { bundledFrom, ownSkills } from './skills/bundled.ts'
import { type Catalog, createCatalog } from './skills/catalog.ts'
import { headCacheFolder } from './skills/head-cache.ts'
import { createRemoteSkills, type RemoteSkills } from './skills/remote.ts'
import type { CatalogOptions } from './skills/snapshot.ts'
import type { SkillWatcher } from './skills/watch.ts'
import type { SkillChanges } from './source-options.ts'

export interface CatalogRoom {
  readonly catalog: Catalog
  /** What it is made of, for the catalogs of sessions. */
  readonly options: CatalogOptions
  /** What was wrong with the project's own servers. */
  readonly diagnostics: readonly Diagnostic[]
  /** Ends connections and programs of servers, and the watching. */
  close(): Promise<void>
}

export async function openCatalog(setup: Setup, environment: NodeJS.ProcessEnv): Promise<CatalogRoom> {
  const { workspace, home, managedDir, plugins, precedence, disableAgentSkillsDirectory, limits } = setup
  const ofProject = readProjectServers(workspace, { isTrusted: setup.trustWorkspace, environment })
  const servers = { ...ofProject.servers, ...setup.mcpServers }
  const remote = Object.keys(servers).length === 0 ? undefined : await openServers(servers, setup)
  const options: CatalogOptions = {
    workspace,
    home,
    managedDir,
    plugins,
    precedence,
    disableAgentSkillsDirectory,
    limits,
    cacheFolder: headCacheFolder(home, environment),
    bundled: [...(setup.disableBundledSkills ? [] : ownSkills()), ...bundledFrom(setup.bundledSkills)],
    checkHooks: (hooks: unknown) => readHooks(hooks, { checkRule }),
    ...(remote && { remote: remote.skills }),
  }
  const catalog = createCatalog(options)
  const watcher = setup.onSkillsChanged && (await watchFor(setup.onSkillsChanged, catalog, options))
  return {
    catalog,
    options,
    diagnostics: ofProject.diagnostics,
    close: async () => {
      await Promise.all([remote?.close(), watcher?.close()])
    },
  }
}

/** Resolves when everything is watched. */
async function watchFor(tell: (changes: SkillChanges) => void, catalog: Catalog, options: CatalogOptions): Promise<SkillWatcher> {
  const { watchSkills } = await import('./skills/watch.ts')
  const watcher = watchSkills({ catalog, ...options })
  watcher.on('changed', tell)
  await watcher.ready
  return watcher
}

async function openServers(
  servers: Setup['mcpServers'],
  { workspace, limits }: Setup,
): Promise<{ readonly skills: RemoteSkills; close(): Promise<void> }> {
  const [{ createPromptSource }, { startTransportProcess }] = await Promise.all([
    import('./mcp/prompt-source.ts'),
    import('./shell/transport-process.ts'),
  ])
  const source = createPromptSource({ servers, startProcess: startTransportProcess, cwd: workspace })
  return { skills: createRemoteSkills({ source, splitArguments, maxSkillBytes: limits.maxSkillBytes }), close: () => source.close() }
}
