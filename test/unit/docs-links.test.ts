/** The links between the pages lead somewhere, and the pages name files that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')
const pagesIn = (directory: string, recursive = false): string[] =>
  readdirSync(join(ROOT, directory), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(directory, name))
const PAGES = [...pagesIn('.'), ...pagesIn('docs', true)]

/** A page without its fenced blocks, which contain no links and no headings. */
const proseOf = (page: string): string => read(page).replaceAll(/^```[\s\S]*?^```/gm, '')

/** The anchors of a page, as GitHub makes them of headings. */
const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(PAGES)('%s: each relative link → a file and an anchor that exist', (page) => {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string)
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(ROOT, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test.each(PAGES)('%s: each path of a file that it names → exists', (page) => {
  const named = read(page).matchAll(
    /(?<![\w./-])(?:src|test|endpoints|bin|tools|bench|docs|deploy|templates)\/(?:[\w./-]*\w\/?)?/g,
  )
  const missing = [...named].map(([path]) => path).filter((path) => !existsSync(join(ROOT, path)))
  expect(missing).toEqual([])
})

test('README: its links, followed → every page of docs/', () => {
  const reached = new Set<string>()
  const visit = (page: string): void => {
    if (reached.has(page)) return
    reached.add(page)
    for (const [, link = ''] of proseOf(page).matchAll(/\]\(([^)\s#:]+\.md)/g)) {
      visit(relative(ROOT, join(ROOT, dirname(page), link)))
    }
  }
  visit('README.md')
  expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
})

test('README: length → at most 150 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(151)
})
