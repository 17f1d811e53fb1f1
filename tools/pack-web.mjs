/**
 * Makes the package `waybill-web` out of the build: its program and its exports, bundled with the packages that every
 * start loads. `node tools/pack-web.mjs OUT [DIST]`, then `npm pack OUT`.
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
import { build } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '..')
const [out, dist] = [resolve(process.argv[2] ?? 'dist-web'), resolve(process.argv[3] ?? join(ROOT, 'dist'))]
const described = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Packages that a project installs only if it needs them. */
const OPTIONAL = ['tsx', 'openapi-typescript', 'uWebSockets.js']
/** Packages that the program loads when it needs them: for a WebSocket, for a multipart form, under --watch. */
const ON_DEMAND = ['ws', '@fastify/busboy', 'chokidar']

/** Packages that the declarations import. */
const typed = new Set()
const declarations = new Set()

/** Adds a declaration file, and those that it imports. */
function addDeclaration(file) {
  if (declarations.has(file)) return
  declarations.add(file)
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(
    /\b(?:from|import\()\s*['"]([^'"]+)['"]/g,
  )) {
    // A declaration names the TypeScript file, or the JavaScript file beside it.
    const target = resolve(dirname(file), specifier).replace(/\.(?:ts|js)$/, '.d.ts')
    if (!specifier.startsWith('.')) typed.add(packageOf(specifier))
    else if (existsSync(target)) addDeclaration(target)
  }
}

const packageOf = (specifier) => specifier.match(/^(?:@[^/]+\/)?[^/]+/)[0]

/**
 * Requires node:http. An `import` of it reads all of its members, and since Node 22 three of them load the implementation of
 * `fetch`: 10 MB of memory.
 */
const requireHttp = {
  name: 'require-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind }) =>
      kind === 'require-call' ? { external: true } : { path: 'node:http', namespace: 'required' },
    )
    onLoad({ filter: /./, namespace: 'required' }, () => ({
      contents: "module.exports = require('node:http')",
    }))
  },
}

const DOCS = 'src/runner/docs'
const docs = readdirSync(join(dist, DOCS)).filter((name) => name.endsWith('.js'))
const { metafile } = await build({
  absWorkingDir: dist,
  entryPoints: [
    'src/framework.js',
    'src/runner/program.js',
    'src/process/version.js',
    ...docs.map((name) => `${DOCS}/${name}`),
  ],
  outbase: dist,
  nodePaths: [join(ROOT, 'node_modules')],
  outdir: join(out, 'dist'),
  // Files that find others beside them, such as the templates, are in this directory.
  chunkNames: 'src/runner/[name]-[hash]',
  // Node compiles what a package leaves to `require`, such as `require('events')`, only with a `require` of its own.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
  },
  ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20', metafile: true },
  external: [...OPTIONAL, ...ON_DEMAND],
  plugins: [requireHttp],
})
mkdirSync(join(out, 'dist/bin'), { recursive: true })
copyFileSync(join(dist, 'bin/waybill-web.js'), join(out, 'dist/bin/waybill-web.js'))

addDeclaration(join(dist, 'src/framework.d.ts'))
for (const file of declarations) {
  const to = join(out, 'dist', relative(dist, file))
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(file, to)
}

const require = createRequire(import.meta.url)
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
)
const licences = [...bundled].sort().map((name) => {
  const directory = require.resolve
    .paths(name)
    .map((path) => join(path, name))
    .find((path) => existsSync(path))
  const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} has no file with its licence`)
  return `${name}\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`
})
writeFileSync(join(out, 'dist/LICENSES.txt'), licences.join(`\n${'-'.repeat(78)}\n\n`))

cpSync(join(dist, 'templates'), join(out, 'dist/templates'), { recursive: true })
copyFileSync(join(ROOT, 'packages/web/README.md'), join(out, 'README.md'))

/** Pages about the framework, by path. */
const pages = [
  'docs/endpoints.md',
  ...readdirSync(join(ROOT, 'docs/framework')).map((name) => `docs/framework/${name}`),
  'docs/decisions/own-framework.md',
  ...['endpoints', 'fastify', 'hono', 'nitro'].map((name) => `docs/coming-from-${name}.md`),
]
for (const page of pages) {
  const text = readFileSync(join(ROOT, page), 'utf8')
    .replaceAll("from 'waybill'", "from 'waybill-web'")
    .replaceAll(/\bwaybill(?= (?:new|routes|types|--prefix)\b)/g, 'waybill-web')
    // A link to a page about the broker becomes its text.
    .replaceAll(/\[([^\]]+)\]\(([^)#\s]+\.md)[^)\s]*\)/g, (link, words, path) =>
      pages.includes(join(dirname(page), path)) ? link : words,
    )
  mkdirSync(dirname(join(out, page)), { recursive: true })
  writeFileSync(join(out, page), text)
}
copyFileSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'))

const versionOf = (name) => described.dependencies[name] ?? described.peerDependencies[name]
const needed = [...new Set([...ON_DEMAND, ...typed])]
  .filter((name) => !OPTIONAL.includes(name) && !name.startsWith('node:'))
  .sort()
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
  files: ['dist', 'docs'],
  dependencies: Object.fromEntries(needed.map((name) => [name, versionOf(name)])),
  peerDependencies: Object.fromEntries(
    OPTIONAL.map((name) => [name, name === 'tsx' ? '^4.23.0' : versionOf(name)]),
  ),
  peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
