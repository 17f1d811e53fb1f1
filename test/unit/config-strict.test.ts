/** Refused configurations: all problems at once, each with its remedy, and never a secret. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../src/config/read.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { problemsOf, settingsOf } from '../_support/settings.ts'

test('several problems: in flags, environment and file → all reported, each with its source', () => {
  const problems = problemsOf({
    flags: { host: 'a:b', adapter: 'apache' },
    env: { JWT_SECRET: 'short', JWT_EXPIRATION_MS: 'never' },
    file: 'app: {queue: {limit: 0}}\nserver: {colour: red}\nlog.level: loud',
  })
  expect(problems).toEqual([
    '--host: expected HOST:PORT, HOST or PORT, not "a:b"',
    '--adapter: expected one of node, uws, not "apache"',
    'JWT_SECRET: has 5 bytes; use at least 32',
    'JWT_EXPIRATION_MS: expected an integer of 1000 to 3153600000000, not "never"',
    `app.queue.limit in waybill.yaml: expected an integer of 1 to ${Number.MAX_SAFE_INTEGER}, not 0`,
    'log.level in waybill.yaml: expected one of fatal, error, warn, info, debug, trace, silent, not "loud"',
    'server.colour in waybill.yaml: there is no such setting; "waybill --help" lists all settings',
  ])
})

test.each([
  'REST_SERVER_PORT',
  'APP_SECURITY_PERMIT_ALL',
  'JWT_SECRET',
  'ADMIN_PASSWORD',
  'WAYBILL_CORS_ORIGINS',
])('%s is empty in the environment → counts as absent', (name) => {
  expect(problemsOf({ env: { [name]: '' } })).toEqual([])
})

test.each([
  ['JWT_SECRET', `${'s'.repeat(40)}\r`],
  ['ADMIN_PASSWORD', 'sesame\r'],
])('%s ends with the CR of a Windows line end → refused, without the value', (name, value) => {
  expect(problemsOf({ env: { [name]: value } })).toEqual([
    `${name}: has the control character U+000D; remove it. A file with Windows line ends leaves U+000D at the end`,
  ])
})

describe('strict values', () => {
  test.each(['8080abc', '1e3', '-1', '65536', ' 80', '0x50', '80.0', 'off'])(
    'REST_SERVER_PORT is "%s" → refused',
    (port) => {
      expect(problemsOf({ env: { REST_SERVER_PORT: port } })).toEqual([
        `REST_SERVER_PORT: expected an integer of 0 to 65535, not ${numberOr(port)}`,
      ])
    },
  )

  test.each(['9000', '127.0.0.1:9000', ':9000', '[::1]', '[::1]:9000', 'a b'])(
    'REST_SERVER_ADDRESS is "%s", which is no host alone → refused',
    (address) => {
      expect(problemsOf({ env: { REST_SERVER_ADDRESS: address } })).toEqual([
        `REST_SERVER_ADDRESS: expected a host without a port, not "${address}"; set the port with server.port`,
      ])
    },
  )

  test.each(['no', 'yes', '1', '0', 'TRUE', 'on'])('APP_SECURITY_PERMIT_ALL is "%s" → refused', (text) => {
    expect(problemsOf({ env: { APP_SECURITY_PERMIT_ALL: text } })).toEqual([
      `APP_SECURITY_PERMIT_ALL: expected true or false, not "${text}"`,
    ])
  })

  test.each(['no', 'yes', '1', '"true"', 'null'])('endpoints.watch is %s in the file → refused', (text) => {
    expect(problemsOf({ file: `endpoints.watch: ${text}` })).toEqual([
      expect.stringMatching(/^endpoints\.watch in waybill\.yaml: expected true or false/),
    ])
  })

  test.each(['"8080"', '80.5', '-1', '65536', '[80]', '{a: 1}', 'null'])(
    'server.port is %s in the file → refused',
    (text) => {
      expect(problemsOf({ file: `server.port: ${text}` })).toEqual([
        expect.stringMatching(/^server\.port in waybill\.yaml: expected an integer of 0 to 65535/),
      ])
    },
  )
})

describe('WAYBILL_CORS_ORIGINS', () => {
  test.each(['*', 'https://app.example', 'https://app.example,http://localhost:5173,http://[::1]:8081'])(
    '%s → accepted',
    (origins) => {
      expect(settingsOf({ env: { WAYBILL_CORS_ORIGINS: origins } }).corsOrigins).toEqual(origins.split(','))
    },
  )

  test.each([
    ['https://app.example/', 'https://app.example/'],
    ['https://a.example,app.example', 'app.example'],
    ['https://app.example:443', 'https://app.example:443'],
    ['https://*.example', 'https://*.example'],
    ['null', 'null'],
  ])('%s → refused, with the origin and what to write', (origins, bad) => {
    expect(problemsOf({ env: { WAYBILL_CORS_ORIGINS: origins } })).toEqual([
      `WAYBILL_CORS_ORIGINS: ${JSON.stringify(bad)} is not an origin; write scheme, host and port only, such as https://app.example, or * for all`,
    ])
  })

  test('* beside another origin → refused', () => {
    expect(problemsOf({ file: "server.cors-origins: ['*', 'https://app.example']" })).toEqual([
      'server.cors-origins in waybill.yaml: * stands for all origins; remove the others, or remove *',
    ])
  })
})

/** Returns a text as a message shows it: digits as a number, anything else in quotes. */
function numberOr(text: string): string {
  return /^-?\d+$/.test(text) ? text : JSON.stringify(text)
}

describe('configuration file', () => {
  test('nested, dotted and mixed properties → read', () => {
    const settings = settingsOf({
      file: [
        'server:',
        '  address: 127.0.0.9',
        'server.port: 9000',
        'app:',
        '  jwt.expiration-ms: 60000',
        '  security: {permit-all: true}',
      ].join('\n'),
    })
    expect(settings).toMatchObject({
      address: '127.0.0.9',
      port: 9000,
      jwtExpirationMs: 60_000,
      permitAll: true,
    })
  })

  test('empty or only comments → accepted', () => {
    expect(problemsOf({ file: '' })).toEqual([])
    expect(problemsOf({ file: '# nothing yet' })).toEqual([])
  })

  test.each([
    'server: {prot: 1}',
    'server.prot: 1',
    'server.prot.x: 1',
    'prot: [1]',
    'ADMIN_PASSWORD: x',
    'app:',
  ])('an unknown key, %s → refused', (file) => {
    expect(problemsOf({ file })).toEqual([
      expect.stringMatching(
        /^[\w.]+ in waybill\.yaml: there is no such setting; "waybill --help" lists all settings$/,
      ),
    ])
  })

  test('no properties → refused', () => {
    const expected = ['waybill.yaml: expected properties, such as "server.port: 8080"']
    expect(problemsOf({ file: '- server' })).toEqual(expected)
    expect(problemsOf({ file: 'server' })).toEqual(expected)
  })

  test('no valid YAML → one line with the place', () => {
    expect(problemsOf({ file: 'server:\n  port: [80' })).toEqual([
      expect.stringMatching(/^waybill\.yaml: line 2, column \d+ is not valid YAML/),
    ])
    expect(problemsOf({ file: 'log.level: info\nlog.level: warn' })).toEqual([
      expect.stringMatching(/^waybill\.yaml: line 2, column 1 is not valid YAML/),
    ])
    expect(problemsOf({ file: 'server: &a\n  port: *a' })).toHaveLength(1)
  })

  test('an unreadable file, named by flag or environment → refused', () => {
    const config = join(temporaryDirectory(), 'missing.yaml')
    const message = `--config: ${config} cannot be read (ENOENT); name a readable YAML file`
    expect(() => readSettings({ flags: { config }, env: {} })).toThrow(message)
    expect(() => readSettings({ env: { WAYBILL_CONFIG: config } })).toThrow(message)
  })
})

describe('secrets', () => {
  const secretOf = (bytes: number): string => 'ß'.repeat(bytes / 2) + 'x'.repeat(bytes % 2)

  test('JWT_SECRET of less than 32 bytes of UTF-8 → refused', () => {
    expect(problemsOf({ env: { JWT_SECRET: secretOf(31) } })).toEqual([
      'JWT_SECRET: has 31 bytes; use at least 32',
    ])
    expect(problemsOf({ env: { JWT_SECRET: secretOf(32) } })).toEqual([])
    expect(problemsOf({ env: { JWT_SECRET: 'x'.repeat(32) } })).toEqual([])
  })

  test('ADMIN_PASSWORD of more than 72 bytes, with a NUL or a hash that costs too much → refused', () => {
    expect(problemsOf({ env: { ADMIN_PASSWORD: secretOf(72) } })).toEqual([])
    expect(problemsOf({ env: { ADMIN_PASSWORD: secretOf(73) } })).toEqual([
      'ADMIN_PASSWORD: has more than 72 bytes, and bcrypt ignores the rest; choose a shorter password',
    ])
    const hash = (cost: number): string => `$2b$${cost}$${'a'.repeat(53)}`
    expect(problemsOf({ env: { ADMIN_PASSWORD: hash(10) } })).toEqual([])
    expect(problemsOf({ env: { ADMIN_PASSWORD: hash(31) } })).toEqual([
      'ADMIN_PASSWORD: is a bcrypt hash of cost 31; use a hash of cost 4 to 14, or the password itself',
    ])
    expect(problemsOf({ file: 'app: {admin: {password: "sesame\\0sesame"}}' })).toEqual([
      'app.admin.password in waybill.yaml: has a NUL, which bcrypt takes for the end; choose another password',
    ])
  })

  test('ADMIN_ID with white space at an end → refused', () => {
    const refused = 'ADMIN_ID: begins or ends with white space; remove it'
    expect(problemsOf({ env: { ADMIN_ID: ' admin' } })).toEqual([refused])
    expect(problemsOf({ env: { ADMIN_ID: 'admin\u2003' } })).toEqual([refused])
    expect(problemsOf({ env: { ADMIN_ID: 'the admin' } })).toEqual([])
  })

  const hidden = 'hunter2hunter2'
  test.each([
    ['that is too short', { env: { JWT_SECRET: hidden } }],
    ['that is too long', { env: { ADMIN_PASSWORD: hidden.repeat(9) } }],
    ['that is a list', { file: `app.jwt.secret: [${hidden}]` }],
    ['that is a map', { file: `app.admin.password: {${hidden}: 1}` }],
    ['without its closing quote', { file: `app.jwt.secret: "${hidden}` }],
    ['that begins like an alias', { file: `app.jwt.secret: *${hidden}` }],
    ['that begins like a tag', { file: `app.jwt.secret: !${hidden}!${hidden} x` }],
    ['that begins like a block', { file: `app.jwt.secret: |${hidden}` }],
    ['with a colon', { file: `app.admin.password: a: ${hidden}` }],
  ])('a value %s → refused in a message without it', (_what, given) => {
    const problems = problemsOf(given)
    expect(problems).toHaveLength(1)
    expect(problems[0]).not.toContain('hunter2')
  })
})
