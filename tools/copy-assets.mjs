/** Copies the files of swagger-ui and the templates of `waybill new` into the build. `node tools/copy-assets.mjs [DIST]` */
import { cpSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const page = resolve(process.argv[2] ?? 'dist', 'src/page')
const { COPIED_FILES } = await import(pathToFileURL(join(page, 'docs-page.js')).href)
const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
mkdirSync(join(page, 'swagger-ui'))
cpSync(resolve(import.meta.dirname, '../templates'), resolve(page, '../../templates'), { recursive: true })
for (const name of COPIED_FILES) cpSync(join(source, name), join(page, 'swagger-ui', name))
