import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Endpoint files written by a test import the package by its name; the command line has a hook for that.
  resolve: { alias: { waybill: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/_support/build-page.ts',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
