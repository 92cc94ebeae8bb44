// Puts each thread into few files: one that has to start for a fork would otherwise open 130 of them, and that takes longer than
// all the rest (SPEC R14.6). Runs after tsc and replaces what that wrote of these entries; the SDKs stay packages of their own.

import { defineConfig } from 'vite'

export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist/workers',
    emptyOutDir: false,
    // Its own lines in a stack trace, as tsc gives for the others.
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: ['workers/agent-worker.ts', 'workers/expansion-worker.ts'],
      // Nothing imports an entry but its pool: what parts share has a file of its own.
      preserveEntrySignatures: 'strict',
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'parts/[name].js',
        banner: '// Holds parts of zod (MIT License, Copyright Colin McDonnell), https://github.com/colinhacks/zod/blob/main/LICENSE',
      },
    },
  },
  ssr: { noExternal: ['zod'] },
})
