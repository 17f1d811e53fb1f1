/** Rules of classes and folders: mistakes stop the start, and a rule holds exactly where it is declared. */
import { describe, expect, test } from 'vitest'
import { corsRules } from '../../src/app/cors-rules.ts'
import { App } from '../../src/web/app.ts'
import { inject } from '../../src/web/inject.ts'
import { Lifecycle } from '../../src/web/lifecycle.ts'
import { importFile } from '../../src/web/load.ts'
import { MAX_CALLERS, RateLimit } from '../../src/web/rate-limit.ts'
import { readSite } from '../../src/web/read-site.ts'
import type { Call } from '../../src/web/types.ts'
import {
  answers,
  appOf,
  code,
  problemOf,
  readAgain,
  recordingLog,
  writeIn,
  writeTree,
} from '../_support/trees.ts'

const ORIGINS = "needs origins like 'https://app.example': scheme, host and port only, or '*' for all"
const CACHE = 'must be false or like { maxAge: 60, etag: true }, with maxAge from 0 to 31536000 seconds'
const LIMIT = 'must be false or like { requests: 10, seconds: 60 }'

describe('a mistake in a rule', () => {
  test.each([
    ['cors', '1', "must be false or have origins: a list like ['https://app.example'], or '*'"],
    ['cors', "{ origins: 'https://a.example' }", ORIGINS],
    ['cors', "{ origins: ['https://a.example/'] }", ORIGINS],
    ['cors', "{ origins: ['https://a.example:443'] }", ORIGINS],
    ['cors', "{ origins: ['*'] }", ORIGINS],
    ['cors', "{ origins: ['https://*.example'] }", ORIGINS],
    [
      'cors',
      "{ origins: '*', credentials: true }",
      "has credentials for origins '*', which browsers refuse. List the origins",
    ],
    [
      'cors',
      "{ origins: '*', maxage: 1 }",
      'has "maxage". It may have origins, credentials, headers, expose, maxAge',
    ],
    ['cors', "{ origins: '*', headers: 'X-Trace' }", 'needs lists of header names as headers and expose'],
    ['cors', "{ origins: '*', maxAge: 0.5 }", 'needs whole seconds as maxAge'],
    ['limit', '10', LIMIT],
    ['limit', '{ requests: 0, seconds: 1 }', LIMIT],
    ['limit', '{ requests: 1, seconds: 1, per: 1 }', 'has "per". It may have requests, seconds, by'],
    ['limit', "{ requests: 1, seconds: 1, by: 'ip' }", "needs 'address', 'identity' or a function as by"],
    ['media', "'html'", "must be a media type, such as 'text/calendar'"],
    ['media', "{ GET: 'text/html', PUT: 1 }", "must be a media type, such as 'text/calendar'"],
    ['cache', 'true', CACHE],
    ['cache', '{ maxAge: -1 }', CACHE],
    ['cache', '{ maxAge: 31_536_001 }', CACHE],
    ['cache', '{ eTag: true }', CACHE],
    ['cache', '{ GET: { maxAge: 1 }, PUT: 1 }', CACHE],
  ])('static %s = %s → refused', async (name, value, problem) => {
    const files = {
      'a.ts': code(`export class Foo extends Endpoint { static ${name} = ${value}; GET() {} PUT() {} }`),
    }
    expect(await problemOf(files)).toBe(`A/a.ts: class Foo: static ${name} ${problem}`)
  })

  test.each([
    ['cache = { PATCH: false }', 'PATCH: static cache names it, but there is no such method'],
    ["access = { GET: 'public' }", 'PUT: static access must cover it too. Add PUT, or ANY for all others'],
  ])('static %s → refused', async (member, problem) => {
    const files = {
      'a.ts': code(`export class Foo extends Endpoint { static ${member}; GET() {} PUT() {} }`),
    }
    expect(await problemOf(files)).toBe(`A/a.ts: class Foo, ${problem}`)
  })

  test.each([
    ['export const limit = 1', `limit ${LIMIT}`],
    ["export const access = ''", "access must be 'public', 'any', the name of a role or a list of roles"],
    ['export const before = 1', 'before must be a function'],
    ['export const after = {}', 'after must be a function'],
    ["export const headers = ['X']", 'headers must be a list of header names in lower case'],
    [
      'export const guard = 1',
      'guard is not known there. A folder may export access, cors, limit, cache, headers, before, after',
    ],
  ])('_folder: %s → refused', async (text, problem) => {
    const files = { 'a/_folder.ts': text, 'a/b.ts': code('export class Foo extends Endpoint { GET() {} }') }
    expect(await problemOf(files)).toBe(`A/a/_folder.ts: ${problem}`)
  })

  test('_folder: cannot be loaded → refused with its line', async () => {
    const files = {
      '_folder.js': "\nthrow new Error('out of order')",
      'b.ts': code('export class Foo extends Endpoint { GET() {} }'),
    }
    expect(await problemOf(files)).toMatch(
      /^A\/_folder\.js: cannot be loaded: out of order\n +at .*A\/_folder\.js:2:/,
    )
  })
})

describe('where the rules of a folder hold', () => {
  const MARK = "export const after = (call, reply) => reply.with({ 'x-mark': 'yes' })"
  const FOO = code('export class Default extends Endpoint { GET() {} }')

  test('in the directory and below, in its own prefix only; not in a file beside the directory', async () => {
    const { app } = await appOf([
      {
        'a/_folder.ts': MARK,
        'a/index.ts': FOO,
        'a/b.ts': FOO,
        'a/c/d.ts': FOO,
        'e.ts': FOO,
        'f.ts': FOO,
        'f/_folder.ts': MARK,
        'f/g.ts': FOO,
      },
      { 'a/h.ts': FOO },
    ])
    const marked = async (path: string) => (await inject(app, 'GET', path)).headers['x-mark'] === 'yes'
    for (const path of ['/a', '/a/b', '/a/c/d', '/f/g'])
      expect([path, await marked(path)]).toEqual([path, true])
    for (const path of ['/e', '/f', '/a/h']) expect([path, await marked(path)]).toEqual([path, false])
  })

  test('a class: false for a rule → ends the rule of its folder', async () => {
    const { app } = await appOf({
      '_folder.ts': "export const cors = { origins: '*' }; export const limit = { requests: 1, seconds: 1 }",
      'a.ts': code(
        'export class Default extends Endpoint { static cors = false; static limit = false; GET() {} }',
      ),
      'b.ts': FOO,
    })
    const headers = { origin: 'https://a.example' }
    expect((await inject(app, 'GET', '/a', { headers })).headers).toEqual({})
    expect((await inject(app, 'GET', '/b', { headers })).headers).toMatchObject({
      vary: 'Origin',
      'access-control-allow-origin': '*',
      ratelimit: '"default";r=0;t=1',
    })
  })

  test('methods without rules: other classes have some → nothing is added', async () => {
    const { site } = await appOf({ 'a/_folder.ts': MARK, 'a/b.ts': FOO, 'c.ts': FOO })
    const verb = site.tree.modules.get('c')?.defaults[0]?.handler.verbs.get('GET')
    expect(verb?.rules).toBe(null)
  })
})

test('a limit: more callers than it counts → the one that was counted the longest ago starts anew', () => {
  const limit = RateLimit.parse({ requests: 1, seconds: 60 }) as RateLimit
  for (let i = 0; i <= MAX_CALLERS; i++) expect(limit.count(`caller ${i}`, 0).exceeded).toBe(false)
  expect(limit.count('caller 1', 0).exceeded).toBe(true)
  expect(limit.count('caller 0', 0).exceeded).toBe(false)
  expect(limit.count('caller 1', 0).exceeded).toBe(true)
})

test('rules of the program for a prefix: a folder without CORS, another prefix, a reload → hold for its other classes alone', async () => {
  const origin = 'https://app.example'
  const [first, second] = [
    writeTree({
      'a.ts': code(answers('Foo')),
      'inner/_folder.ts': 'export const cors = false',
      'inner/b.ts': code(answers('Foo')),
    }),
    writeTree({ 'c.ts': code(answers('Foo')) }),
  ] as const
  const site = await readSite([first, second], importFile, new Map([[first, corsRules([origin])]]))
  const log = recordingLog()
  const lifecycle = new Lifecycle(site, {}, log)
  const app = new App({ site, bodyLimit: 100, log })
  const allowed = async (path: string): Promise<unknown> =>
    (await inject(app, 'GET', path, { headers: { origin } })).headers['access-control-allow-origin']
  expect([await allowed('/a/foo'), await allowed('/inner/b/foo'), await allowed('/c/foo')]).toEqual([
    ...[origin, undefined, undefined],
  ])
  const [prefix] = site.prefixes
  if (!prefix) throw new Error('no prefix')
  writeIn(first, 'a.ts', code(answers('New')))
  await lifecycle.reload(prefix, readAgain, false)
  expect(await allowed('/a/new')).toBe(origin)
})

test.each([
  ['2001:db8::1', '2001:db8::2:3', true],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['192.0.2.7', '::ffff:192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
])("a limit by 'identity' without one: %s and %s → count together: %s", (one, other, together) => {
  const limit = RateLimit.parse({ requests: 1, seconds: 60, by: 'identity' }) as RateLimit
  const keys = [one, other].map((remote) => limit.keyOf({ identity: null, remote } as Call))
  expect(keys[0] === keys[1]).toBe(together)
})
