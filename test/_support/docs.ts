/** Extracts the parts of README.md and docs/ that tests compare with the code. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Files } from './trees.ts'

export const ROOT = new URL('../..', import.meta.url)
export const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** Finds the part of a page between `<!-- table: NAME -->` and `<!-- end -->`. */
export function part(page: string, name: string): string {
  const [, text] = new RegExp(`<!-- table: ${name} -->\n([\\s\\S]*?)<!-- end -->`).exec(read(page)) ?? []
  if (text === undefined) throw new Error(`${page} has no table "${name}"`)
  return text
}

/**
 * Returns a function that compares a table of a page with rows, the head first. With DOCS=write it writes the table.
 *
 * @param command command that runs the test
 */
export function tableTest(
  command: string,
): (page: string, name: string, rows: readonly (readonly string[])[]) => void {
  return (page, name, rows) => {
    const [head = [], ...body] = rows
    const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`)
    const table = `${lines.join('\n').replaceAll('| --- ', '|---').replaceAll('--- |', '---|')}\n`
    if (process.env.DOCS === 'write') {
      const marker = `<!-- table: ${name} -->\n`
      const before = marker + part(page, name)
      writeFileSync(
        new URL(page, ROOT),
        read(page).replace(before, () => marker + table),
      )
    }
    expect(part(page, name), `${page} differs from the code: run DOCS=write ${command}`).toBe(table)
  }
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
