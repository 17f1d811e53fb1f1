/** The audit trail gets a bounded number of lines for refused logins. */
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../src/audit/audit.ts'
import { REFUSED_LINES, RefusedLogins } from '../../src/audit/refused-logins.ts'
import type { Rejection } from '../../src/broker/rejection-log.ts'

const REJECTION: Rejection = {
  ...{ reason: 'WRONG_CREDENTIALS', message: '', deviceId: 'lamp', clientId: null },
  ...{ address: '192.0.2.7', transport: 'REST' },
}

function open(add: (entry: AuditEntry) => Promise<number> = async () => 1) {
  const lines: AuditEntry[] = []
  const audit = {
    add(entry: AuditEntry) {
      lines.push(entry)
      return add(entry)
    },
  }
  return { lines, logins: new RefusedLogins({ audit, log: { debug() {} } }) }
}

test('refused logins: the same name and address again → one line; another name or address → a line each', async () => {
  const { lines, logins } = open()
  for (const more of [{}, {}, { deviceId: 'radio' }, { address: '192.0.2.8' }, { deviceId: null }]) {
    await logins.record({ ...REJECTION, ...more })
  }
  expect(lines.map(({ by, object }) => [by.address, object])).toEqual([
    ['192.0.2.7', 'lamp'],
    ['192.0.2.7', 'radio'],
    ['192.0.2.8', 'lamp'],
    ['192.0.2.7', null],
  ])
})

test('refused logins: a flood of names → 100 lines', async () => {
  const { lines, logins } = open()
  await Promise.all(
    Array.from({ length: 1000 }, (_, n) => logins.record({ ...REJECTION, deviceId: `x${n}` })),
  )
  expect(lines).toHaveLength(REFUSED_LINES.inAll)
})

test('refused logins: a refused message → no line', async () => {
  const { lines, logins } = open()
  await logins.record({ ...REJECTION, reason: 'MESSAGE_REFUSED' })
  expect(lines).toEqual([])
})

test('refused logins: the storage fails → no rejection', async () => {
  const { logins } = open(() => Promise.reject(new Error('storage-full')))
  await expect(logins.record(REJECTION)).resolves.toBeUndefined()
})
