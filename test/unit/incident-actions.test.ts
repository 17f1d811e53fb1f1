/** Tests the actions that an incident names, by its kind and its members. */
import { expect, test } from 'vitest'
import type { IncidentKind, IncidentMember, SignalKind } from '../../src/broker/contract/incident-store.ts'
import { helpFor } from '../../src/broker/incidents/incident-actions.ts'

const member = (kind: SignalKind, deviceId: string | null, count: number | null = null): IncidentMember => ({
  key: `${kind}:${deviceId}`,
  kind,
  deviceId,
  messageId: null,
  command: null,
  reason: null,
  address: null,
  firstMs: 1,
  missingSinceMs: null,
  endedMs: null,
  count,
})

/** Returns the actions as texts. `gate` is the only client. */
function actionsOf(kind: IncidentKind, ...members: readonly IncidentMember[]): string[] {
  return helpFor({ kind }, members, (deviceId) => deviceId === 'gate').map(
    ({ action, count, deviceIds }) => `${action} ${count} ${deviceIds.slice(0, 3)}`,
  )
}

test('failures of one command on two devices → send all again, or take both out of service', () => {
  const actions = actionsOf('FAILED', member('FAILED', 'a', 12), member('FAILED', 'b', 7))
  expect(actions).toEqual(['RESEND 19 ', 'SERVICE 2 a,b'])
})

test('parked messages of one device → replay them first', () => {
  const actions = actionsOf('PARKED', member('PARKED', 'a', 2))
  expect(actions).toEqual(['REPLAY 2 ', 'RESEND 2 ', 'OPEN_DEVICE 1 a', 'SERVICE 1 a'])
})

test('a device that does not acknowledge → open it first, then what failed on it', () => {
  const members = [member('DEVICE_DEAF', 'a'), member('PARKED', 'a', 2), member('FAILED', 'a', 1)]
  const actions = actionsOf('DEVICE', ...members)
  expect(actions).toEqual(['OPEN_DEVICE 1 a', 'REPLAY 2 ', 'RESEND 3 ', 'SERVICE 1 a'])
})

test('refused logins → a password, if all had the name of one client', () => {
  expect(actionsOf('ADDRESS', member('LOGIN_REFUSED', 'gate', 30))).toEqual(['PASSWORD 1 gate'])
  expect(actionsOf('ADDRESS', member('LOGIN_REFUSED', 'stranger', 30))).toEqual([])
  expect(actionsOf('ADDRESS', member('LOGIN_REFUSED', null, 30))).toEqual([])
})

test('1,000 devices → out of service in one step; one more → not', () => {
  const away = (length: number) =>
    Array.from({ length }, (_, number) => member('DEVICE_SILENT', `pump-${number}`))
  expect(actionsOf('OUTAGE', ...away(1_000))).toEqual(['SERVICE 1000 pump-0,pump-1,pump-2'])
  expect(actionsOf('OUTAGE', ...away(1_001))).toEqual([])
})

test('a condition of the server → nothing', () => {
  expect(actionsOf('DISK_NEARLY_FULL', member('DISK_NEARLY_FULL', null))).toEqual([])
})
