/** Compiles the examples in the comments of the package's exports. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { PROJECT } from '../_support/server.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

/** Names that examples use without a definition. */
const GIVEN: Readonly<Record<string, string>> = {
  'src/framework.ts': `import assert from 'node:assert'
import { writeFile } from 'node:fs/promises'
declare const app: face.App
declare const log: face.Log
declare const socket: face.InjectedSocket`,
  'src/index.ts': `import { Endpoint, type Log, Type } from ${JSON.stringify(join(PROJECT, 'src/framework.ts'))}
declare const broker: face.SharedBroker
declare const log: Log`,
  'src/client/index.ts': 'declare const client: face.Client',
}

/** Yields the examples of a public face, each with its names imported. */
function* examplesOf(face: string): Generator<string> {
  const lists = [...readFileSync(face, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)]
  const names = lists.flatMap(([, list = '']) => list.match(/\w+(?=\s*(?:,|$))/g) ?? [])
  for (const file of new Set(lists.map(([, , from = '']) => join(dirname(face), from)))) {
    const documented = /@example\n \* ```ts\n((?: \*.*\n)+?) \* ```\n \*\/\nexport [a-z ]+ (\w+)/g
    for (const [, block = '', name = ''] of readFileSync(file, 'utf8').matchAll(documented)) {
      if (!names.includes(name)) continue
      const code = block.replace(/^ \* ?/gm, '')
      const used = names.filter((each) => new RegExp(`\\b${each}\\b`).test(code))
      const path = JSON.stringify(join(PROJECT, face))
      yield `import type * as face from ${path}\nimport { ${used.join(', ')} } from ${path}\n${GIVEN[face]}\n{\n${code}}\n`
    }
  }
}

test('examples of the exports → compile', async () => {
  const directory = temporaryDirectory()
  const examples = Object.keys(GIVEN).flatMap((face) => [...examplesOf(face)])
  expect(examples.length).toBeGreaterThan(70)
  for (const [n, text] of examples.entries()) writeFileSync(join(directory, `example-${n}.ts`), text)
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    typeRoots: [join(PROJECT, 'node_modules/@types')],
    module: 'ESNext',
    moduleResolution: 'bundler',
  }
  const config = { extends: join(PROJECT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  const compiled = await promisify(execFile)(process.execPath, [tsc, '-p', directory]).catch((error) => error)
  expect(compiled.stdout).toBe('')
})
