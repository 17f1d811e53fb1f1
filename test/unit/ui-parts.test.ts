/** The texts of a part of the admin page load with the part, so code of the first load must not use them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PARTS } from '../../src/ui/texts/parts.ts'
import { loadedWith, ROOT } from '../_support/import-graph.ts'

/** Files that load when the page starts, after the sign-in, and with the overview. */
const FIRST = [
  'src/ui/main.tsx',
  'src/ui/screens.tsx',
  'src/ui/parts/palette.tsx',
  'src/ui/parts/statistics-charts.tsx',
]

function filesWith(entries: readonly string[]): ReadonlySet<string> {
  const files = new Set(entries)
  for (const file of files)
    for (const name of loadedWith(file)) if (/^src\/.*\.tsx?$/.test(name)) files.add(name)
  return files
}

test('code of the first load → uses no texts of a part', async () => {
  const parts = await Promise.all(Object.values(PARTS).map(({ en }) => en()))
  const sections = new Set(parts.flatMap(({ texts }) => Object.keys(texts)))
  const files = filesWith(FIRST)
  expect(files.size).toBeGreaterThan(150)
  const wrong = [...files].flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/useTexts\('(\w+)'\)/g)]
      .filter(([, section]) => sections.has(section as string))
      .map(([use]) => `${file}: ${use}`),
  )
  expect(wrong).toEqual([])
})
