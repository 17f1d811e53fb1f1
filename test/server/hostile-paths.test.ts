/** Paths with `..` reach no file, and no spelling of a path avoids an access rule. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'
import { type Answer, request } from '../_support/http.ts'
import { tokenOf } from '../_support/rest.ts'
import { runs } from '../_support/runs.ts'
import { code, writeTree } from '../_support/trees.ts'

const SECRET = 'the secret of a file'
const TREE = {
  'admin/api/savedMessages.ts': code(`
    export class Default extends Endpoint { static access = 'MAN'; ANY() { return 'in' } }
    export class GetAll extends Endpoint { static access = 'MAN'; ANY() { return 'in' } }`),
  'admin/secret.txt': SECRET,
  'admin/_secret.ts': `// ${SECRET}`,
  '.env': SECRET,
}

const UP = [
  '..',
  '%2e%2e',
  '%2E%2e',
  '.%2e',
  '%252e%252e',
  '..;',
  '..;a=b',
  '..%00',
  '%c0%ae%c0%ae',
  '%e2%80%a5',
]
const BETWEEN = ['/', '//', '%2f', '%5c', '%255c', '%252f', '\\', '/./', '%c0%af']
const FILES = ['etc/passwd', 'admin/secret.txt', 'package.json', '.env', 'proc/self/environ']
const CLIMBS = UP.flatMap((up) =>
  BETWEEN.flatMap((between) => FILES.map((file) => `/admin/${`${up}${between}`.repeat(6)}${file}`)),
)
const FILE_NAMES = [
  ...['/admin/secret.txt', '/admin/_secret', '/admin/_secret.ts', '/admin/secret', '/.env', '/%2eenv'],
  ...['/_services.ts', '/_services', '/_schemas', '/producer.ts', '/endpoints/producer.ts', '/package.json'],
  ...[
    '/producer/',
    '/admin/api/',
    '/admin/api/savedMessages.ts',
    '/admin/api/savedMessages.ts/',
    '/.git/config',
  ],
  ...[
    '/admin/api/savedMessages%2ets',
    '/admin/secret.txt%00.ts',
    '/admin/secret.txt%00',
    '/admin%00/secret.txt',
  ],
  ...['/\uff0e\uff0e/', '/\u2025/', '/\u2024\u2024/etc/passwd'].map(encodeURI),
]

/** Spells the words of a path segment in one of the ways that a server or a proxy might take for the same. */
function spelled(words: readonly string[]): fc.Arbitrary<string> {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
  const names = [
    words.join('-'),
    words.join('_'),
    words.join('.'),
    words.join(''),
    words.map((word, i) => (i === 0 ? word : capital(word))).join(''),
    words.map(capital).join(''),
    words.join('-').toUpperCase(),
    words.join('').toUpperCase(),
    words.join('--'),
  ]
  const hex = (char: string): string => `%${char.charCodeAt(0).toString(16)}`
  const letter = (char: string): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 12, arbitrary: fc.constant(char) },
      { weight: 3, arbitrary: fc.constantFrom(hex(char), hex(char).toUpperCase()) },
      // Another case, a double encoding, the full-width form.
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          char.toUpperCase(),
          hex(char).replace('%', '%25'),
          encodeURIComponent(String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
        ),
      },
    )
  return fc
    .constantFrom(...names)
    .chain((name) => fc.tuple(...[...name].map(letter)))
    .map((letters) => letters.join(''))
}

const slash = fc.oneof(
  { weight: 8, arbitrary: fc.constant('/') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('//', '///', '/./', '/x/../', '%2f', '\\', '/;/', '/%2e/', '%5c', '/%20'),
  },
)
const tail = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        '/',
        '//',
        '/.',
        '/..',
        '.',
        '..',
        ';',
        ';a=b',
        '%00',
        '%20',
        '%09',
        '%0a',
        '~',
        '.ts',
        '.json',
        '%2f',
      ],
      ...['?', '?a=1', '?access=public', '#', '#/auth/login', '/../../auth/login', '%3f', '/;/auth/login'],
    ),
  },
)

/** Paths of classes that require a token; the last two require a role. */
const GUARDED = [
  [['auth'], ['me']],
  [['consumer'], ['get', 'last', 'message'], ['pump']],
  [['consumer'], ['request'], ['pump']],
  [['producer'], ['request'], ['pump']],
  [['producer'], ['get', 'message', 'status'], ['1']],
  [['admin'], ['api'], ['saved', 'messages']],
  [['admin'], ['api'], ['saved', 'messages'], ['get', 'all']],
] as const
const path = fc
  .constantFrom(...GUARDED)
  .chain((segments) => fc.tuple(...segments.map((words) => fc.tuple(slash, spelled(words))), tail))
  .map((parts) => parts.flat().join(''))
  .map((text) => (text.startsWith('/') ? text : `/${text}`))
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE')
/** Prefix that makes a target an absolute URL. The engine of uws does not answer those. */
const origin: fc.Arbitrary<string> =
  ADAPTER === 'uws' ? fc.constant('') : fc.constantFrom('', '', 'http://test', 'HTTPS://user@else.where:1')

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let device: string
  beforeAll(async () => {
    const env = { ENDPOINTS_PREFIX: `${writeTree(TREE)}:@broker` }
    broker = await BrokerUnderTest.start({ env, dataDir: await withClients('lamp') })
    device = await tokenOf(broker.server.url, 'lamp', 'sesame')
  })
  afterAll(() => {
    expect(broker.server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
  const ask = (method: string, target: string, token?: string): Promise<Answer> =>
    request(broker.port, method, target, token ? { headers: { authorization: `Bearer ${token}` } } : {})

  test.each([
    ['climb with dots', CLIMBS],
    ['name a file', FILE_NAMES],
  ])('paths: targets that %s, as the admin → 404, no file content', async (_what, targets) => {
    const found: string[] = []
    await Promise.all(
      targets.map(async (target) => {
        const { status, text } = await ask('GET', target, broker.token)
        const expected = target.includes('%c0') ? [400] : [404]
        if (!expected.includes(status) || text().includes(SECRET))
          found.push(`${target}: ${status} ${text()}`)
      }),
    )
    expect(found).toEqual([])
  })

  const UNKNOWN = ['', '/', '/nothing', '/nothing/1/2', '/%00', '/clients/1/2/3', '/request']
  test.each([
    ['/admin/api', 403],
    ['/producer', 404],
    ['/consumer', 404],
  ])(
    'paths: nothing answers below %s → 401 without a token, %i for a device, 404 for the admin',
    async (tree, forDevice) => {
      for (const end of UNKNOWN) {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
          if (end === '/request' && tree !== '/admin/api') continue
          const target = `${tree}${end}`
          const answers = await Promise.all([
            ask(method, target),
            ask(method, target, 'none'),
            ask(method, target, device),
            ask(method, target, broker.token),
          ])
          const statuses = answers.map(({ status }) => status)
          expect([method, target, ...statuses]).toEqual([method, target, 401, 401, forDevice, 404])
          if (method !== 'HEAD') expect(answers[0]?.text()).toBe('{"error":"Unauthorized"}')
        }
      }
    },
  )

  test('paths: `..` in a device id → a device id like any other', async () => {
    const answers = CLIMBS.map(async (climb, i) => {
      const id = encodeURIComponent(climb)
      await broker.raw('PUT', `/producer/request/${id}`, `{"command":"${i}"}`)
      return (await ask('GET', `/consumer/getLastMessage/${id}`, broker.token)).json()
    })
    expect(await Promise.all(answers)).toMatchObject(CLIMBS.map((_, i) => [{ command: String(i) }]))
  })

  test('paths: other spellings of protected paths → no access without a token or the role', async () => {
    const statuses = new Set<number>()
    const guarded = fc.tuple(method, origin, path)
    await fc.assert(
      fc.asyncProperty(guarded, async ([verb, host, local]) => {
        const anonymous = await ask(verb, host + local)
        statuses.add(anonymous.status)
        // 405 is what the public class at the root says to a method other than GET.
        expect([401, 404, 405]).toContain(anonymous.status)
        if (anonymous.status === 401 && verb !== 'HEAD')
          expect(anonymous.json()).toMatchObject({ error: 'Unauthorized' })
        const asDevice = await ask(verb, host + local, device)
        if (asDevice.status === 200) expect(asDevice.text()).not.toBe('"in"')
        statuses.add(asDevice.status)
        expect(asDevice.status).toBeLessThan(500)
      }),
      {
        numRuns: runs(100),
        examples: [
          [['GET', '', '/admin/api/saved-messages']],
          [['GET', '', '/admin/api/saved-messages/1/2/3']],
        ],
      },
    )
    // Without these statuses the property would have tried nothing.
    for (const status of [401, 403, 404]) expect(statuses).toContain(status)
  })
})
