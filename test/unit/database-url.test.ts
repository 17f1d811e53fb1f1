/** The URL of the database: what `--store` takes and refuses. */
import { describe, expect, test } from 'vitest'
import { hostNames, parseDatabaseUrl } from '../../src/store/postgres/database/url.ts'
import { problemsOf, settingsOf } from '../_support/settings.ts'

const CHECKED = { rejectUnauthorized: true }
const UNCHECKED = { rejectUnauthorized: false }

describe('hosts', () => {
  test('one host with all parts → one configuration', () => {
    expect(
      parseDatabaseUrl('postgres://ann:secret@db.example:6432/plant?schema=east&sslmode=disable'),
    ).toEqual({
      hosts: [
        { host: 'db.example', port: 6432, user: 'ann', password: 'secret', database: 'plant', ssl: false },
      ],
      schema: 'east',
      rootCertFile: null,
      shown: 'postgres://ann@db.example:6432/plant?schema=east',
    })
  })

  test('several hosts → one configuration each, in their order, with the default port', () => {
    const url = parseDatabaseUrl('postgresql://ann@a:1,b,[::1]:2/plant')
    expect(url.hosts.map(({ host, port }) => [host, port])).toEqual([
      ['a', 1],
      ['b', 5432],
      ['::1', 2],
    ])
    expect(hostNames(url)).toBe('a:1, b:5432, [::1]:2')
    expect(url.schema).toBe('waybill')
  })

  test.each([
    'postgres://ann@/plant?host=%2Frun%2Fpostgresql',
    'postgres://ann@/plant?host=/run/postgresql',
    'postgres://ann@%2Frun%2Fpostgresql/plant',
  ])('the directory of a socket: %s → a host without TLS', (text) => {
    const { hosts, shown } = parseDatabaseUrl(text)
    expect(hosts).toEqual([
      { host: '/run/postgresql', port: 5432, user: 'ann', database: 'plant', ssl: false },
    ])
    expect(shown).toBe('postgres://ann@%2Frun%2Fpostgresql/plant?schema=waybill')
  })
})

test('parts with special characters: percent-encoded → decoded; + stays +', () => {
  const { hosts, shown } = parseDatabaseUrl('postgres://a%40b:%2F%3A+%25:@localhost/my%20db')
  expect(hosts[0]).toMatchObject({ user: 'a@b', password: '/:+%:', database: 'my db' })
  expect(shown).not.toContain('%25')
})

describe('TLS', () => {
  test.each([
    ['a host elsewhere', 'postgres://u@db/d', CHECKED],
    ['localhost', 'postgres://u@localhost/d', false],
    ['a loopback address', 'postgres://u@127.0.0.1/d', false],
    ['sslmode=disable', 'postgres://u@db/d?sslmode=disable', false],
    ['sslmode=require', 'postgres://u@db/d?sslmode=require', UNCHECKED],
    ['sslmode=verify-full', 'postgres://u@localhost/d?sslmode=verify-full', CHECKED],
  ])('%s → as documented', (_, text, ssl) => {
    expect(parseDatabaseUrl(text).hosts[0]?.ssl).toEqual(ssl)
  })

  test('parameters of a copied URL that ask for what a node does → accepted', () => {
    const text = 'postgres://u@db/d?channel_binding=prefer&target_session_attrs=read-write&sslmode=require'
    expect(parseDatabaseUrl(text).hosts[0]?.ssl).toEqual(UNCHECKED)
  })

  test('sslrootcert → the file', () => {
    expect(parseDatabaseUrl('postgres://u@db/d?sslrootcert=/etc/ca.pem').rootCertFile).toBe('/etc/ca.pem')
  })
})

describe('refused', () => {
  test.each([
    ['waybill.db', 'expected postgres://'],
    ['mysql://u:hidden@h/d', 'there is no store mysql://'],
    ['postgres://u:hidden@h', 'has no name of a database'],
    ['postgres://u:hid/den@h/d', 'has no name of a database'],
    ['postgres://h/d', 'has no user'],
    ['postgres://u:hidden@/d', 'has no host'],
    ['postgres://u:hidden@h:0/d', 'expected HOST or HOST:PORT'],
    ['postgres://u:hidden@h:99999/d', 'expected HOST or HOST:PORT'],
    ['postgres://u:hidden@a,,b/d', 'has no host'],
    ['postgres://u:hidden%@h/d', 'write %25'],
    ['postgres://u:hidden@h/d?schema=A', 'schema: expected'],
    ['postgres://u:hidden@h/d?schema=pg_x', 'schema: expected'],
    ['postgres://u:hidden@h/d?sslmode=x', 'sslmode: expected one of disable, require, verify-full'],
    ['postgres://u:hidden@h/d?sslmode=prefer', 'verify-full; prefer may send the password without TLS'],
    ['postgres://u:hidden@h/d?sslmode=allow', 'verify-full; allow may send the password without TLS'],
    ['postgres://u:hidden@h/d?sslmode=verify-ca', 'verify-ca accepts the certificate of another'],
    ['postgres://u:hidden@h/d?channel_binding=require', 'prefer; a node checks the certificate instead'],
    ['postgres://u:hidden@h/d?target_session_attrs=standby', 'any; a node uses the host that takes writes'],
    ['postgres://u:hidden@h/d?target_session_attrs=%0A', 'target_session_attrs: expected one of read-write'],
    ['postgres://u:hidden@h/d?sslmode=require&sslrootcert=/ca.pem', 'sslrootcert needs sslmode=verify-full'],
    ['postgres://u:hidden@h/d?sslmode=disable&sslmode=require', 'twice'],
    ['postgres://u:hidden@h/d?options=x', 'unknown parameter "options"'],
  ])('%s → one problem, without the password', (text, problem) => {
    const problems = problemsOf({ env: { WAYBILL_STORE: text } })
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems[0]).toMatch(/^WAYBILL_STORE: /)
    expect(problems[0]).not.toMatch(/hid/)
  })
})

test('sources: flag, environment, file → the strongest one', () => {
  const [a, b, c] = ['postgres://u@a/d', 'postgres://u@b/d', 'postgres://u@c/d']
  const file = `storage: {url: "${c}"}`
  expect(settingsOf({ flags: { store: a }, env: { WAYBILL_STORE: b }, file }).store).toBe(a)
  expect(settingsOf({ env: { WAYBILL_STORE: b }, file }).store).toBe(b)
  expect(settingsOf({ file }).store).toBe(c)
})
