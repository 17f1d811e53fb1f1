/** The delivery of the admin page: on both adapters, with a security policy, cached, small. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { LOCALES, type Locale } from '../../src/ui/texts/languages.ts'
import { PARTS } from '../../src/ui/texts/parts.ts'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { BUILT, PROJECT, startServer } from '../_support/server.ts'

const LIMIT_BYTES = 140_000
const SIGN_IN_LIMIT_BYTES = 45_000
const PART_LIMIT_BYTES = 8_000
const DIRECTORY = join(PROJECT, 'dist/ui')

const compressedBytes = (name: string): number =>
  gzipSync(readFileSync(join(DIRECTORY, name)), { level: 9 }).length
const sumOf = (names: readonly string[]): number =>
  names.map(compressedBytes).reduce((sum, each) => sum + each, 0)

/** Returns the scripts and styles of a part of the page in a language, and all languages of its texts without one. */
const filesOf = (part: string, locale = '\\w+'): string[] =>
  readdirSync(DIRECTORY).filter((name) => new RegExp(`^${part}(\\.${locale})?-[^.]*\\.(js|css)$`).test(name))

describe.each(ADAPTERS)('admin page over %s', (adapter) => {
  let url: string
  beforeAll(async () => {
    url = (await BrokerUnderTest.start({ adapter })).server.url
  })

  test('the page → not cached, a policy against frames, inline and foreign scripts', async () => {
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    })
    expect(await answer.text()).not.toMatch(/<style|style=|<script(?![^>]*src=)/)
  })

  test('its files → names with a hash, cached for a year', async () => {
    const page = await (await fetch(url)).text()
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string)
    const kinds = new Set(files.map((file) => file.slice(file.lastIndexOf('.'))))
    expect(kinds).toEqual(new Set(['.css', '.js', '.svg']))
    for (const file of files) {
      const answer = await fetch(url + file)
      expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ])
    }
  })

  test('Accept-Encoding: gzip → compressed; without → not', async () => {
    const encoding = async (accepted: string): Promise<string | null> =>
      (await fetch(url, { headers: { 'accept-encoding': accepted } })).headers.get('content-encoding')
    expect(await encoding('gzip, br')).toBe('gzip')
    expect(await encoding('identity')).toBeNull()
    expect(await encoding('gzip;q=0, identity')).toBeNull()
  })

  test('the notices of bundled packages → served', async () => {
    const notices = await (await fetch(`${url}/ui/NOTICES.md`)).text()
    for (const name of ['preact', '@picocss/pico', 'lucide-preact'])
      expect(notices).toContain(`## ${name} - `)
  })

  test.each(['/ui', '/ui/nothing.js', '/ui/..%2F..%2Fpackage.json', '/ui/..%2Fsrc%2Findex.js'])(
    '%s → 404',
    async (path) => {
      expect((await fetch(url + path)).status).toBe(404)
    },
  )
})

test('admin page: in the built package → served; not built → 503 with the command that builds it', async () => {
  const root = temporaryDirectory()
  cpSync(join(dirname(BUILT[0] as string), '../..'), root, { recursive: true, verbatimSymlinks: true })
  const program = [join(root, 'dist/bin/waybill.js')]
  const page = join(root, 'dist/ui')
  const inPlace = async (): Promise<Response> =>
    fetch((await startServer({ program, cwd: temporaryDirectory(), dataDir: temporaryDirectory() })).url)
  expect(await (await inPlace()).text()).toContain('<title>Waybill</title>')
  rmSync(page, { recursive: true })
  const answer = await inPlace()
  expect([answer.status, await answer.text()]).toEqual([
    503,
    'The admin page is not built. Build it with: npm run build\n',
  ])
})

test.each(LOCALES)(
  'admin page in %s: script and style of the first load → at most 140 KB, compressed',
  (locale) => {
    const others = LOCALES.filter((each) => each !== locale)
    const later = new Set(Object.keys(PARTS).flatMap((part) => filesOf(part)))
    const names = readdirSync(DIRECTORY).filter(
      (name) =>
        /\.(js|css)$/.test(name) && !later.has(name) && !others.some((each) => name.startsWith(`${each}-`)),
    )
    expect(names.length).toBeGreaterThan(1)
    expect(sumOf(names)).toBeLessThan(LIMIT_BYTES)
  },
)

test.each(LOCALES.flatMap((locale) => Object.keys(PARTS).map((part): [string, Locale] => [part, locale])))(
  'admin page: the part %s in %s → its code and its texts are files of their own, at most 8 KB',
  (part, locale) => {
    const names = filesOf(part, locale)
    expect(names.filter((name) => name.endsWith('.js'))).toHaveLength(2)
    expect(sumOf(names)).toBeLessThan(PART_LIMIT_BYTES)
  },
)

test.each(LOCALES)('admin page in %s: script and style of the sign-in alone → at most 45 KB', (locale) => {
  const page = readFileSync(join(DIRECTORY, 'index.html'), 'utf8')
  const linked = [...page.matchAll(/\/ui\/([^"]+\.(?:js|css))"/g)].map((match) => match[1] as string)
  const texts = readdirSync(DIRECTORY).filter((name) => name.startsWith(`${locale}-`))
  expect(linked.some((name) => name.endsWith('.js'))).toBe(true)
  expect(texts).toHaveLength(1)
  expect(sumOf([...linked, ...texts])).toBeLessThan(SIGN_IN_LIMIT_BYTES)
})
