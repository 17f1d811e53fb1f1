/** How the admin page is built: `vite build src/ui` → dist/ui. */
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/ui/',
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    assetsDir: '',
    // A data: URL would only get round the names that change with their content.
    assetsInlineLimit: 0,
    // It would be the only inline script.
    modulePreload: { polyfill: false },
    license: { fileName: 'NOTICES.md' },
    target: 'es2022',
  },
})
