/** The audit trail gets a bounded number of lines for refused logins, in which no flood hides those of people. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AuditEntry } from '../../src/audit/audit.ts'
import {
  type NameOwner,
  NETWORK_LINES,
  REFUSED_LINES,
  RefusedLogins,
} from '../../src/audit/refused-logins.ts'
import type { Rejection } from '../../src/broker/views/rejection-log.ts'
import { networkOf } from '../../src/net/address.ts'

const REJECTION: Rejection = {
  ...{ reason: 'WRONG_CREDENTIALS', message: '', deviceId: 'lamp', clientId: null },
  ...{ address: '192.0.2.7', transport: 'REST' },
}
const MINUTE_MS = 60_000

let nowMs: number
let lines: AuditEntry[]
let isFull: boolean
let logins: RefusedLogins

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  nowMs = 5_000
  lines = []
  isFull = false
  logins = new RefusedLogins({
    audit: {
      async add(entry) {
        if (isFull) throw new Error('storage-full')
        return lines.push(entry)
      },
    },
    ownerOf: (name): NameOwner => (name === 'admin' ? 'person' : name.startsWith('pump') ? 'device' : 'none'),
    log: { debug() {} },
    monotonicMs: () => nowMs,
    networkOf,
  })
})
afterEach(() => vi.useRealTimers())

const refuse = (more: Partial<Rejection>) => logins.record({ ...REJECTION, ...more })
/** Refuses logins of names that no client has, each from another address unless one is given. */
async function flood(count: number, address?: string, prefix = 'x'): Promise<void> {
  for (let n = 0; n < count; n++)
    await refuse({ deviceId: `${prefix}${n}`, address: address ?? `198.51.${n >> 8}.${n & 255}` })
}
const passMinute = async (): Promise<void> => {
  nowMs += MINUTE_MS
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
}
const objects = () => lines.map(({ object }) => object)

test('refused logins: the same name and network again → one line; another name or network → a line each', async () => {
  for (const more of [{}, {}, { deviceId: 'radio' }, { address: '192.0.2.8' }, { deviceId: null }]) {
    await refuse(more)
  }
  expect(lines.map(({ by, object }) => [by.address, object])).toEqual([
    ['192.0.2.7', 'lamp'],
    ['192.0.2.7', 'radio'],
    ['192.0.2.8', 'lamp'],
    ['192.0.2.7', null],
  ])
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:5::']) await refuse({ address })
  expect(lines).toHaveLength(5)
  await passMinute()
  expect(lines).toHaveLength(5)
})

test('refused logins: a flood of names of one network → 20 lines, then a client has a line; a summary at the end', async () => {
  await flood(1_000, '192.0.2.7')
  expect(lines).toHaveLength(NETWORK_LINES.none)
  await refuse({ deviceId: 'admin' })
  await refuse({ deviceId: 'pump-1' })
  await refuse({ deviceId: 'lamp', address: '192.0.2.99' })
  expect(objects().slice(NETWORK_LINES.none)).toEqual(['admin', 'pump-1', 'lamp'])
  await passMinute()
  expect(lines.at(-1)).toEqual({
    by: { clientId: null, keyId: null, address: null },
    ...{ action: 'login.refused', object: null },
    detail: { more: 980, networks: 1, names: 980 },
  })
  await flood(1, '192.0.2.7')
  expect(lines.at(-1)).toMatchObject({ object: 'x0' })
  await passMinute()
  expect(lines.at(-1)).toMatchObject({ object: 'x0' })
})

test('refused logins: a flood of names of devices of one network → 40 lines, then a person has a line', async () => {
  await flood(200, '192.0.2.7', 'pump-')
  await refuse({ deviceId: 'admin' })
  expect(lines).toHaveLength(NETWORK_LINES.device + 1)
})

test('refused logins: a flood of names of many networks → room for clients, and more for people', async () => {
  await flood(200)
  expect(lines).toHaveLength(REFUSED_LINES.none)
  await flood(200, undefined, 'pump-')
  expect(lines).toHaveLength(REFUSED_LINES.device)
  for (let n = 0; n < 200; n++) await refuse({ deviceId: 'admin', address: `203.0.113.${n}` })
  expect(lines).toHaveLength(REFUSED_LINES.person)
  await passMinute()
  expect(lines).toHaveLength(REFUSED_LINES.person + 1)
  expect(lines.at(-1)?.detail).toEqual({ more: 500, networks: 360, names: 321 })
})

test('refused logins: endless names and networks → a summary that is counted in bounded memory', async () => {
  await flood(5_000)
  await logins.close()
  expect(lines.at(-1)?.detail).toEqual({ more: 4_940, networks: 1_000, names: 1_000 })
})

test('refused logins: a refused message, a wrong token → no line', async () => {
  await refuse({ reason: 'MESSAGE_REFUSED' })
  await logins.record({ ...REJECTION, reason: 'WRONG_TOKEN' })
  await passMinute()
  expect(lines).toEqual([])
})

test('refused logins: the storage is full → no rejection; what has no line is in the summary after it has room', async () => {
  isFull = true
  await expect(refuse({})).resolves.toBeUndefined()
  await flood(30, '192.0.2.8')
  await passMinute()
  await passMinute()
  expect(lines).toEqual([])
  isFull = false
  await passMinute()
  expect(lines.map(({ detail }) => detail)).toEqual([{ more: 31, networks: 2, names: 31 }])
  await passMinute()
  expect(lines).toHaveLength(1)
})

test('refused logins: the server stops → the summary is written', async () => {
  await flood(30, '192.0.2.7')
  await logins.close()
  expect(lines.at(-1)?.detail).toEqual({ more: 10, networks: 1, names: 10 })
  await logins.close()
  expect(lines).toHaveLength(NETWORK_LINES.none + 1)
})
