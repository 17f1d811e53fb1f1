/**
 * Makes the package `waybill-web` out of the build: what its program and its exports import, and nothing else.
 * `node tools/pack-web.mjs OUT [DIST]`, then `npm pack OUT`.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const [out, dist] = [resolve(process.argv[2] ?? 'dist-web'), resolve(process.argv[3] ?? join(ROOT, 'dist'))]
const described = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Packages that a project installs only if it needs them. */
const OPTIONAL = ['tsx', 'openapi-typescript', 'uWebSockets.js']
/** One file of a package whose other files, and their dependencies, are not used. It is copied with its licence. */
const FORMATS = 'ajv-formats/dist/formats.js'
const VENDORED = 'dist/vendor/ajv-formats.cjs'

const require = createRequire(import.meta.url)
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g
const files = new Set()
const packages = new Set()

/** Adds a file of the build, its declarations, and what both import. */
function add(file) {
  if (files.has(file)) return
  files.add(file)
  if (file.endsWith('.js')) add(file.replace(/\.js$/, '.d.ts'))
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (specifier.startsWith('.')) {
      const found = resolve(dirname(file), specifier)
      // A declaration names the TypeScript file, or the JavaScript file beside it.
      const target = file.endsWith('.d.ts') ? found.replace(/\.(?:ts|js)$/, '.d.ts') : found
      if (existsSync(target)) add(target)
    } else if (!specifier.startsWith('node:') && specifier !== FORMATS) {
      packages.add(specifier.match(/^(?:@[^/]+\/)?[^/]+/)[0])
    }
  }
}

for (const entry of ['bin/waybill-web.js', 'src/framework.js']) add(join(dist, entry))
const docs = join(dist, 'src/runner/docs')
for (const name of readdirSync(docs).filter((each) => each.endsWith('.js'))) add(join(docs, name))

for (const file of files) {
  const to = join(out, 'dist', relative(dist, file))
  mkdirSync(dirname(to), { recursive: true })
  const vendored = relative(dirname(to), join(out, VENDORED))
  writeFileSync(
    to,
    readFileSync(file, 'utf8').replace(FORMATS, vendored.startsWith('.') ? vendored : `./${vendored}`),
  )
}
mkdirSync(dirname(join(out, VENDORED)), { recursive: true })
copyFileSync(require.resolve(FORMATS), join(out, VENDORED))
copyFileSync(
  join(dirname(require.resolve('ajv-formats/package.json')), 'LICENSE'),
  join(out, 'dist/vendor/LICENSE'),
)
cpSync(join(dist, 'templates'), join(out, 'dist/templates'), { recursive: true })
copyFileSync(join(ROOT, 'packages/web/README.md'), join(out, 'README.md'))
copyFileSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'))

const versionOf = (name) => described.dependencies[name] ?? described.peerDependencies[name]
const needed = [...packages].filter((name) => !OPTIONAL.includes(name)).sort()
const unknown = needed.filter((name) => described.dependencies[name] === undefined)
if (unknown.length > 0) throw new Error(`package.json has no dependency ${unknown.join(', ')}`)
const { version, license, type, engines } = described
const manifest = {
  name: 'waybill-web',
  version,
  description:
    'A web framework without a route table: a URL selects a file, a class in it, and the method named after the HTTP verb',
  keywords: ['framework', 'web', 'rest', 'endpoint', 'file-based', 'openapi', 'websocket'],
  ...{ license, type, engines },
  bin: { 'waybill-web': 'dist/bin/waybill-web.js' },
  exports: {
    '.': { types: './dist/src/framework.d.ts', default: './dist/src/framework.js' },
    './package.json': './package.json',
  },
  files: ['dist'],
  dependencies: Object.fromEntries(needed.map((name) => [name, versionOf(name)])),
  peerDependencies: Object.fromEntries(
    OPTIONAL.map((name) => [name, name === 'tsx' ? '^4.23.0' : versionOf(name)]),
  ),
  peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
