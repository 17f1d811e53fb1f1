/** Tests what stops the start of a class of static files, and that a reload reads them again. */
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Files } from '../../src/web/files.ts'
import { inject } from '../../src/web/inject.ts'
import { MAX_FILES_BYTES } from '../../src/web/read-files.ts'
import { readSite } from '../../src/web/read-site.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import {
  appOf,
  problemOf,
  readAgain,
  type Files as TreeFiles,
  writeIn,
  writeTree,
} from '../_support/trees.ts'

const serving = (statics: string): TreeFiles => ({
  'assets.ts': `import { Files } from 'waybill'\nexport class Assets extends Files { ${statics} }`,
  'public/a.txt': 'a',
})
const PUBLIC = serving("static directory = 'public'")

test.each([
  ['', "static directory must be a path, relative to this file, like 'public'"],
  ['static directory = 1', "static directory must be a path, relative to this file, like 'public'"],
  [
    "static directory = 'missing'",
    'static directory names A/missing, and there is no such directory. Make it, or correct the name',
  ],
  [
    "static directory = 'public/a.txt'",
    'static directory names A/public/a.txt, and there is no such directory. Make it, or correct the name',
  ],
  [
    "static directory = '.'",
    'static directory names A, which holds this file. Name a directory of public files alone',
  ],
  [
    "static directory = 'public'; static index = 'a/b'",
    "static index must be the name of a file, like 'index.html', or null",
  ],
  [
    "static directory = 'public'; static headers = ['x-a']",
    'static headers must keep those of Files: static headers = [...Files.headers, …]',
  ],
])('%s → stops the start', async (statics, problem) => {
  expect(await problemOf(serving(statics))).toBe(`A/assets.ts: class Assets: ${problem}`)
})

test('static direktory → stops the start with the right name', async () => {
  expect(await problemOf(serving("static direktory = 'public'"))).toContain(
    'class Assets has static direktory, which means nothing. Rename it to directory',
  )
})

test('a module in the directory that was loaded before the class → stops the start', async () => {
  expect(
    await problemOf({
      'a/index.ts': "import { Endpoint } from 'waybill'\nexport class Default extends Endpoint { GET() {} }",
      'b/assets.ts':
        "import { Files } from 'waybill'\nexport class Default extends Files { static directory = '../a' }",
    }),
  ).toBe('A/a/index.ts: a class serves its directory as static files. Move the class beside that directory')
})

/** Returns the problem of a tree to which a link was added. */
async function problemWithLink(target: string, path: string): Promise<string> {
  const root = writeTree(PUBLIC)
  symlinkSync(target.replace('A', root), join(root, path))
  const error: unknown = await readSite([root]).catch((reason: unknown) => reason)
  return String((error as Error).message).replaceAll(root, 'A')
}

test.each([
  ['A/assets.ts', 'is a link out of the directory, to A/assets.ts. Copy the file, or remove the link'],
  ['..', 'is a link out of the directory, to A. Copy the file, or remove the link'],
  ['/etc', 'is a link out of the directory, to /etc. Copy the file, or remove the link'],
  ['missing', 'is a link to nothing. Remove it'],
  ['.', 'is a link to a directory around it. Remove it'],
])('a link to %s → stops the start', async (target, problem) => {
  expect(await problemWithLink(target, 'public/link')).toBe(
    `A/assets.ts: class Assets: A/public/link ${problem}`,
  )
})

test('a link inside the directory, and a directory that is a link → served', async () => {
  const other = temporaryDirectory()
  writeFileSync(join(other, 'a.txt'), 'linked')
  symlinkSync('a.txt', join(other, 'b.txt'))
  const { site, app, lifecycle } = await appOf(PUBLIC)
  const root = site.prefixes[0]?.path as string
  symlinkSync(other, join(root, 'elsewhere'))
  writeIn(root, 'assets.ts', (PUBLIC['assets.ts'] as string).replace('public', 'elsewhere'))
  await lifecycle.reload(site.prefixes[0] as never, readAgain, false)
  expect((await inject(app, 'GET', '/assets/assets/b.txt')).text()).toBe('linked')
})

test('files of more than 64 MiB together → stop the start before they are read', async () => {
  const root = writeTree({ ...PUBLIC, 'public/big.bin': '' })
  truncateSync(join(root, 'public/big.bin'), MAX_FILES_BYTES)
  await expect(readSite([root])).rejects.toThrow(
    `class Assets: the files in ${root}/public have 67108865 bytes together, more than 67108864. Let a proxy or a stream serve large files`,
  )
})

test('a reload → reads changed, added and removed files; a request before it → the old ones', async () => {
  const { app, site, lifecycle } = await appOf(PUBLIC)
  const [prefix] = site.prefixes
  const get = async (name: string) => {
    const { status, text } = await inject(app, 'GET', `/assets/assets/${name}`)
    return status === 200 ? text() : status
  }
  writeIn(prefix?.path as string, 'public/a.txt', 'changed')
  writeIn(prefix?.path as string, 'public/b.txt', 'added')
  expect([await get('a.txt'), await get('b.txt')]).toEqual(['a', 404])
  await lifecycle.reload(prefix as never, readAgain, false)
  expect([await get('a.txt'), await get('b.txt')]).toEqual(['changed', 'added'])
})

test('a redirect with bytes beyond ASCII in its query → percent-encoded', async () => {
  const { app } = await appOf({ ...PUBLIC, 'public/docs/index.html': 'docs' })
  const { status, headers } = await inject(app, 'GET', '/assets/assets/docs?q=\u00e9')
  expect([status, headers.location]).toEqual([308, './docs/?q=%e9'])
})

test('the API description and the warnings of the start → do not name the files', async () => {
  const { app, log } = await appOf({ ...PUBLIC, 'public/app.js': 'export default class Foo { GET() {} }' })
  expect([app.describe().paths, log.lines]).toEqual([{}, []])
})

test('an instance without the framework → says how to test it', () => {
  expect(() => new Files({}).GET('a')).toThrow('Test it with inject.')
})
