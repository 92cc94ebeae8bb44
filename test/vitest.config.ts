import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

export default defineConfig({
  root,
  test: {
    include: ['test/**/*.test.ts'],
    // Generous: a limit that ends a hang, never a measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for processes: one more worker than Vitest would take on two cores.
    maxWorkers: 2,
  },
  // Tests of the public door use what a user imports: the built package.
  resolve: { alias: { skillcell: `${root}dist/src/index.js` } },
})
