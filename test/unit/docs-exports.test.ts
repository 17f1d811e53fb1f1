/** The pages of the framework document what the package exports for endpoint files. */
import { expect, test } from 'vitest'
import { STATICS } from '../../src/web/look-alikes.ts'
import { FRAMEWORK_PAGES, read } from '../_support/docs.ts'

/** The names that occur in the code of the pages: in their blocks, and between backticks. */
const documented = new Set(
  [
    ...FRAMEWORK_PAGES.map(read)
      .join('\n')
      .matchAll(/^```\w*\n[\s\S]*?^```|`[^`\n]+`/gm),
  ].flatMap(([code]) => code.match(/\w+/g) ?? []),
)
const missing = (names: readonly string[]): string[] => names.filter((name) => !documented.has(name))

/** Returns the names of the members of an interface. */
function membersOf(path: string, name: string): string[] {
  const [, body] = new RegExp(`export interface ${name} \\{\n([\\s\\S]*?)\n\\}`).exec(read(path)) ?? []
  if (body === undefined) throw new Error(`${path} has no interface ${name}`)
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map((match) => match[1] as string)
}

test('exports of the package → each is in the code of the pages', () => {
  const entries = ['src/index.ts', 'src/framework.ts'].map(read).join('\n')
  const lists = [...entries.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
  const names = lists.flatMap(([, list = '']) => list.match(/\w+(?=\s*(?:,|$))/g) ?? [])
  expect(names).toContain('listenUws')
  expect(missing(names)).toEqual([])
})

test('static members of a class → each is in the code of the pages', () => {
  expect(missing(STATICS)).toEqual([])
})

test.each([
  ['src/web/types.ts', 'Call'],
  ['src/web/types.ts', 'Identity'],
  ['src/web/endpoint.ts', 'ReplyOptions'],
  ['src/web/types.ts', 'HttpErrorOptions'],
  ['src/web/errors.ts', 'ErrorEntry'],
  ['src/web/types.ts', 'FormFile'],
  ['src/web/inject.ts', 'InjectOptions'],
  ['src/web/types.ts', 'Injected'],
  ['src/web/app.ts', 'AppOptions'],
  ['src/process/log.ts', 'Log'],
  ['src/web/http.ts', 'ListenOptions'],
  ['src/web/http.ts', 'Server'],
  ['src/web/site.ts', 'ServicesModule'],
  ['src/web/types.ts', 'CallerCredentials'],
  ['src/web/cookies.ts', 'CookieOptions'],
  ['src/web/event-stream.ts', 'ServerSentEvent'],
  ['src/web/event-stream.ts', 'EventStreamOptions'],
])('%s: members of %s → each is in the code of the pages', (path, name) => {
  const members = membersOf(path, name)
  expect(members).not.toEqual([])
  expect(missing(members)).toEqual([])
})
