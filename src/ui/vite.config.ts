/** Configures the build of the admin page: `vite build src/ui` writes dist/ui. */
import { defineConfig } from 'vite'
import { withLighterIcons } from './lighter-icons.ts'
import { withoutUnusedPlots } from './unused-plots.ts'
import { withoutUnusedStyles } from './unused-styles.ts'

export default defineConfig({
  base: '/ui/',
  plugins: [withoutUnusedStyles(), withoutUnusedPlots(), withLighterIcons()],
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    assetsDir: '',
    // Inlining is off: a data: URL has no name that changes with the content of the file.
    assetsInlineLimit: 0,
    // The polyfill would be the only inline script of the page.
    modulePreload: { polyfill: false },
    // The sign-in needs only the errors of the client. Without this setting it would load the whole client.
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /src\/client\//, sideEffects: false }] } },
    license: { fileName: 'NOTICES.md' },
    target: 'es2022',
    // The styles need these versions anyway: `:has()` and `color-mix()`. Older targets repeat properties with a prefix.
    cssTarget: ['chrome111', 'firefox121', 'safari16.4'],
    // Slower than the default, and a kilobyte smaller after compression. No getter of the page has an effect.
    minify: 'terser',
    terserOptions: {
      ecma: 2020,
      module: true,
      compress: { passes: 4, unsafe_arrows: true, pure_getters: true, keep_fargs: false },
    },
  },
})
