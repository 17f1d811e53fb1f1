/** An object literal lists its members. It never spreads another literal. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('object literals that spread a literal → none', () => {
  const files = ['bin', 'endpoints', 'src'].flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => `${directory}/${name}`),
  )
  const found = files.filter((file) => /\.tsx?$/.test(file) && /\.\.\.\{/.test(readFileSync(file, 'utf8')))
  expect(found).toEqual([])
})
