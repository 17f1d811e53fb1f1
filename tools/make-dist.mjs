/**
 * Makes `dist`, the directory that is published, out of the build. The program, its exports and its threads are bundled, so that a start
 * loads few files. Each endpoint stays a file of its own. `node tools/make-dist.mjs [BUILD] [DIST]`
 */
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundle, copyDeclarations, ROOT } from './bundle.mjs'

const [from, to] = ['build', 'dist'].map((name, i) => resolve(process.argv[2 + i] ?? join(ROOT, name)))

/** Packages of which each start would load more than 100 files. The others are installed beside this one, where `npm audit` sees them. */
const BUNDLED = ['@sinclair/typebox']
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const installed = Object.keys({ ...dependencies, ...peerDependencies })

/** Lists the JavaScript files below a directory of the build. */
const scriptsIn = (directory) =>
  readdirSync(join(from, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(directory, name))

const endpoints = scriptsIn('endpoints')
const importedByEndpoints = endpoints.flatMap((file) =>
  [...readFileSync(join(from, file), 'utf8').matchAll(/\bfrom ['"](\.[^'"]+)['"]/g)]
    .map(([, specifier]) => relative(from, resolve(from, dirname(file), specifier)))
    .filter((path) => path.startsWith('src/')),
)
const threads = scriptsIn('src').filter((name) => name.endsWith('-thread.js'))

await bundle({
  ...{ from, to },
  modules: [
    'bin/waybill.js',
    'src/index.js',
    ...new Set([...importedByEndpoints, ...threads]),
    ...scriptsIn('src/runner/docs'),
  ],
  chunks: 'src/chunks',
  external: installed.filter((name) => !BUNDLED.includes(name)),
})
// The client runs in browsers too, so it shares nothing with the program.
await build({
  absWorkingDir: from,
  entryPoints: ['src/client/index.js'],
  outbase: from,
  outdir: to,
  ...{ bundle: true, format: 'esm', platform: 'neutral', target: 'es2022', packages: 'external' },
})
copyDeclarations({ from, to, modules: ['src/index.d.ts', 'src/client/index.d.ts'] })

for (const file of endpoints) cpSync(join(from, file), join(to, file))
cpSync(join(ROOT, 'templates'), join(to, 'templates'), { recursive: true })

const { COPIED_FILES } = await import(pathToFileURL(join(from, 'src/page/docs-page.js')).href)
const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
mkdirSync(join(to, 'swagger-ui'))
for (const name of COPIED_FILES) cpSync(join(swagger, name), join(to, 'swagger-ui', name))
