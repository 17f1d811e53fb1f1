/** Files of other frameworks in a prefix: named at the start with what to do, and files that are not run. */
import { expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { appOf, code, type Files } from '../_support/trees.ts'

const GOOD = code('export class Good extends Endpoint { GET() { return 1 } }')

async function warningsOf(files: Files): Promise<string[]> {
  const { log, site } = await appOf({ 'index.ts': GOOD, ...files })
  return log.lines.map(({ message }) => message.replaceAll(site.prefixes[0]?.path as string, 'A'))
}

test.each<[string, Files, string]>([
  [
    'a parameter in brackets',
    { 'notes/[id].ts': GOOD },
    'A/notes/[id].ts: "[id]" is a segment like any other. Take an argument instead: GET(id).',
  ],
  [
    'a directory in brackets',
    { '[...path]/a.ts': GOOD },
    'A/[...path]: "[...path]" is a segment like any other. Take an argument instead: GET(path).',
  ],
  [
    'a method in the name',
    { 'hello.get.ts': GOOD },
    'A/hello.get.ts: the name of a file chooses no method. Rename it to hello, and name a method GET.',
  ],
  [
    'a plus',
    { 'notes/+server.ts': GOOD },
    'A/notes/+server.ts: the path has the segment "+server". Rename it to the segment you want.',
  ],
  [
    'a group',
    { '(admin)/jobs.ts': GOOD },
    'A/(admin): "(admin)" is a segment of the path, not a group. Move the files up, or give them a _folder file.',
  ],
  [
    'an ending that is not loaded',
    { 'page.tsx': 'export const a = 1', 'old.cjs': 'exports.a = 1' },
    'A/page.tsx: this ending is not loaded. Rename it to .ts, .mts, .js or .mjs.',
  ],
  [
    'a class that is handed on',
    { 'other.ts': "export { Good } from './index.ts'" },
    'A/other.ts: class Good comes from another file, so no path reaches it here. Extend it: export class Good extends Base {}.',
  ],
  [
    'a class for the path of its file that is handed on',
    {
      'list.ts': code('export class Default extends Endpoint {\n  GET() { return [] }\n}'),
      'other.ts': "export { Default } from './list.ts'",
    },
    'A/other.ts: class Default comes from another file, so no path reaches it here. Extend it: export class Default extends Base {}.',
  ],
  [
    'an optional parameter of TypeScript',
    { 'item.ts': code('export class Item extends Endpoint {\n  async GET(id?: string) { return id }\n}') },
    "A/item.ts:3: class Item, GET(id?): the path needs id, because the mark is gone at run time. Give it a default: id = ''.",
  ],
])('%s → a warning that says what to do', async (_, files, warning) => {
  expect(await warningsOf(files)).toContain(warning)
})

test.each(['spec', 'test', 'bench', 'stories', 'config'])('a file *.%s.ts → not run', async (kind) => {
  expect(await warningsOf({ [`notes.${kind}.ts`]: "throw new Error('run')" })).toEqual([])
})

test.each([
  "import { Good } from './index.ts'\nconst base = Good",
  'export function helper(a?: string) { return a }\nexport class Item { render(id?: string) { return id } }',
])('a helper that uses such forms: %s → no warning', async (text) => {
  expect(await warningsOf({ 'other.ts': `${text}\nexport const a = 1` })).toEqual([])
})

test('/.well-known in a directory → served; other names with a dot are not', async () => {
  const { app } = await appOf({ '.well-known/security.ts': GOOD, '.hidden/security.ts': GOOD })
  expect((await inject(app, 'GET', '/.well-known/security/good')).json()).toBe(1)
  expect((await inject(app, 'GET', '/.hidden/security/good')).status).toBe(404)
})

test('a file whose name has decomposed letters → answers the composed ones, and the decomposed', async () => {
  const { app } = await appOf({ ['größe.ts'.normalize('NFD')]: GOOD })
  for (const form of ['NFC', 'NFD'])
    expect((await inject(app, 'GET', `/${encodeURIComponent('größe'.normalize(form))}/good`)).json()).toBe(1)
})
