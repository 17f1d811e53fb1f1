/** Bundles modules of the build with the packages that they import, and copies the declarations and the licences. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'

export const ROOT = resolve(import.meta.dirname, '..')

/** Packages that a project installs only if it needs them. */
export const OPTIONAL = ['tsx', 'openapi-typescript', 'uWebSockets.js']
/** Packages that the program loads when it needs them: for a WebSocket, for a multipart form, under --watch. */
export const ON_DEMAND = ['ws', '@fastify/busboy', 'chokidar']

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

/**
 * Bundles modules, and writes the licences of the bundled packages to LICENSES.txt.
 *
 * @param from directory of the build
 * @param to directory of the bundle; each module keeps its path in it
 * @param modules paths of the modules that other files import, or that a program runs
 * @param chunks directory of the shared parts. It is as deep as the directories of files that find others by a relative path, such
 *   as the templates.
 * @param external names of the packages that are not bundled
 */
export async function bundle({ from, to, modules, chunks, external }) {
  const { metafile } = await build({
    absWorkingDir: from,
    entryPoints: modules,
    outbase: from,
    nodePaths: [join(ROOT, 'node_modules')],
    outdir: to,
    chunkNames: `${chunks}/[name]-[hash]`,
    // Node compiles what a package leaves to `require`, such as `require('events')`, only with a `require` of its own.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
    },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20', metafile: true },
    external,
    plugins: [requireHttp],
  })
  const directories = new Set(
    Object.keys(metafile.inputs).flatMap(
      (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
    ),
  )
  const licences = new Map([...directories].map((path) => licenceOf(resolve(from, path))))
  const texts = [...licences].sort().map(([name, licence]) => `${name}\n\n${licence}\n`)
  writeFileSync(join(to, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(78)}\n\n`))
}

/** Returns the name of a package, and its licence. */
function licenceOf(directory) {
  const { name } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each))
  if (file !== undefined) return [name, readFileSync(join(directory, file), 'utf8').trim()]
  throw new Error(`${name} has no file with its licence`)
}

/**
 * Copies declaration files, and those that they import.
 *
 * @param from directory of the build
 * @param to directory of the copies
 * @param modules paths of the declaration files
 * @returns names of the packages that the declarations import
 */
export function copyDeclarations({ from, to, modules }) {
  const packages = new Set()
  const found = new Set()
  const add = (file) => {
    if (found.has(file)) return
    found.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(
      /\b(?:from|import\()\s*['"]([^'"]+)['"]/g,
    )) {
      // A declaration names the TypeScript file, or the JavaScript file beside it.
      const target = resolve(dirname(file), specifier).replace(/\.(?:ts|js)$/, '.d.ts')
      if (!specifier.startsWith('.')) packages.add(packageOf(specifier))
      else if (existsSync(target)) add(target)
    }
  }
  for (const module of modules) add(join(from, module))
  for (const file of found) {
    const copy = join(to, relative(from, file))
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(file, copy)
  }
  return packages
}

const packageOf = (specifier) => specifier.match(/^(?:@[^/]+\/)?[^/]+/)[0]
