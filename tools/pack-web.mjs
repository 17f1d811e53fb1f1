/**
 * Makes the package `waybill-web` out of the build: its program and its exports, bundled with the packages that every
 * start loads. `node tools/pack-web.mjs OUT [BUILD]`, then `npm pack OUT`.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { bundle, copyDeclarations, ON_DEMAND, OPTIONAL, ROOT } from './bundle.mjs'

const [out, from] = [resolve(process.argv[2] ?? 'dist-web'), resolve(process.argv[3] ?? join(ROOT, 'build'))]
const to = join(out, 'dist')
const described = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const DOCS = 'src/runner/docs'
const docs = readdirSync(join(from, DOCS)).filter((name) => name.endsWith('.js'))
await bundle({
  ...{ from, to },
  modules: [
    'src/framework.js',
    'src/runner/program.js',
    'src/process/version.js',
    ...docs.map((name) => `${DOCS}/${name}`),
  ],
  chunks: 'src/runner',
  external: [...OPTIONAL, ...ON_DEMAND],
})
/** Returns a text with the name of the program that this package has. */
const renamed = (text) => text.replaceAll(/\bwaybill(?= (?:new|routes|types|--prefix)\b)/g, 'waybill-web')
for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.js')) continue
  const file = join(to, name)
  writeFileSync(file, renamed(readFileSync(file, 'utf8')))
}
mkdirSync(join(to, 'bin'), { recursive: true })
copyFileSync(join(from, 'bin/waybill-web.js'), join(to, 'bin/waybill-web.js'))
const typed = copyDeclarations({ from, to, modules: ['src/framework.d.ts'] })

cpSync(join(ROOT, 'templates'), join(to, 'templates'), { recursive: true })
copyFileSync(join(ROOT, 'packages/web/README.md'), join(out, 'README.md'))

/** Pages about the framework, by path. */
const pages = [
  'docs/endpoints.md',
  ...readdirSync(join(ROOT, 'docs/framework')).map((name) => `docs/framework/${name}`),
  'docs/decisions/own-framework.md',
  ...['endpoints', 'fastify', 'hono', 'nitro'].map((name) => `docs/coming-from-${name}.md`),
]
for (const page of pages) {
  const text = renamed(readFileSync(join(ROOT, page), 'utf8'))
    .replaceAll("from 'waybill'", "from 'waybill-web'")
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
