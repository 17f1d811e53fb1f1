/** The pages of the packed package: each link between them leads to a file that is packed too. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT } from '../_support/server.ts'

const [packed] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: PROJECT,
    encoding: 'utf8',
  }),
) as { files: { path: string }[] }[]
const files = new Set(packed?.files.map(({ path }) => path))
const pages = [...files].filter((path) => path.endsWith('.md') && !path.startsWith('dist/'))

/** Tells whether a file is packed, or a directory of packed files. */
const isPacked = (path: string): boolean =>
  files.has(path) || [...files].some((each) => each.startsWith(`${path.replace(/\/$/, '')}/`))

test('packed pages: README, change log and docs', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/rest.md']))
})

test.each(pages)('%s: each relative link → a packed file', (page) => {
  const text = readFileSync(join(PROJECT, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  const links = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map((match) => match[1] as string)
  const relative = links.filter((link) => !/^[a-z]+:/.test(link))
  expect(relative.filter((link) => !isPacked(join(dirname(page), link)))).toEqual([])
})
