/** Extracts the parts of README.md and docs/ that tests compare with the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Files } from './trees.ts'

export const ROOT = new URL('../..', import.meta.url)
export const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** Finds the part of a page between `<!-- table: NAME -->` and `<!-- end -->`. */
export function part(page: string, name: string): string {
  const [, text] = new RegExp(`<!-- table: ${name} -->\n([\\s\\S]*?)<!-- end -->`).exec(read(page)) ?? []
  if (text === undefined) throw new Error(`${page} has no table "${name}"`)
  return text
}

/** Finds the fenced block of a page after `<!-- NAME -->`. */
export function block(page: string, name: string): string {
  const [, text] = new RegExp(`<!-- ${name} -->\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``).exec(read(page)) ?? []
  if (text === undefined) throw new Error(`${page} has no block "${name}"`)
  return text
}

/** Returns the pages of a directory of docs. */
export function pagesIn(directory: string): string[] {
  const url = new URL(`${directory}/`, ROOT)
  if (!existsSync(url)) return []
  return readdirSync(url)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${directory}/${name}`)
}

/** Pages about the framework. */
export const FRAMEWORK_PAGES = ['docs/endpoints.md', ...pagesIn('docs/framework')]

/** Finds the page of the framework that has `<!-- NAME -->`. */
export function frameworkPage(name: string): string {
  const page = FRAMEWORK_PAGES.find((each) => read(each).includes(`<!-- ${name} -->`))
  if (page === undefined) throw new Error(`no page of the framework has "${name}"`)
  return page
}

/** Returns the files of an example. Their marks are `<!-- file: EXAMPLE/PATH -->`. */
export function filesOf(page: string, example: string): Files {
  const marks = read(page).matchAll(new RegExp(`<!-- file: ${example}/(\\S+) -->`, 'g'))
  return Object.fromEntries(
    [...marks].map(([, path]) => [path as string, block(page, `file: ${example}/${path}`)]),
  )
}
