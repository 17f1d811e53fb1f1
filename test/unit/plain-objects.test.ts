/**
 * No text of a client is the key of a plain object: there `__proto__` sets the prototype, and `constructor` is found in it. Each
 * plain object that the product fills at run time is listed here, with the origin of its keys.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const KEYS: readonly (readonly [file: string, origin: string])[] = [
  ['endpoints/admin/api/_message-answers.ts', 'names in the table of message fields'],
  ['src/app/agreed-settings.ts', 'names of settings'],
  ['src/config/read.ts', 'names of settings'],
  ['src/config/read.ts', 'names of settings'],
  ['src/store/sqlite/views/search-sources.ts', 'names of parameters in SQL'],
  ['src/web/inject.ts', 'header names of the test that injects a request'],
  ['src/web/openapi-responses.ts', 'numbers of statuses'],
  ['src/web/openapi-schemas.ts', 'names of schemas'],
  ['src/web/openapi-schemas.ts', 'names of the parts of a schema'],
  ['src/web/openapi.ts', 'paths of endpoints'],
  ['src/web/routed-request.ts', 'header names that a class declares'],
  ['src/web/rules.ts', 'names of rules'],
]

/** A table that is empty at first: `const found: Record<string, Item> = {}`, or without a type, `{} as Record<string, Item>`. */
const EMPTY_TABLE =
  /:\s*(?:Partial<)?(?:Record<string,[^=;\n]*|\{\s*\[\w+: string\][^=;\n]*)=\s*\{\s*\}|=\s*\{\s*\}\s*as\s+(?:Partial<)?Record<string/g

test('plain objects that are filled at run time → those whose keys are names of the product', () => {
  const files = ['bin', 'endpoints', 'src'].flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => `${directory}/${name}`),
  )
  const found = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(EMPTY_TABLE)].map(() => file))
  const hint = 'Use a Map for keys that a client chooses. For names of the product, add a line to KEYS.'
  expect(found.sort(), hint).toEqual(KEYS.map(([file]) => file))
})
