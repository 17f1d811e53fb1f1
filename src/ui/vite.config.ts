/** Configures the build of the admin page: `vite build src/ui` writes dist/ui. */
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/ui/',
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    assetsDir: '',
    // Inlining is off: a data: URL has no name that changes with the content of the file.
    assetsInlineLimit: 0,
    // The polyfill would be the only inline script of the page.
    modulePreload: { polyfill: false },
    license: { fileName: 'NOTICES.md' },
    target: 'es2022',
  },
})
