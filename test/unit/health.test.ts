/** The checks behind /readyz follow the state of the parts. */
import { expect, test } from 'vitest'
import { Health } from '../../src/app/health.ts'

const store = { failedAtMs: null as number | null }
const disk = { isLow: false }
const mqtt = { name: 'MQTT', url: 'mqtt://127.0.0.1:1883' as string | null }

function failing(health: Health): string[] {
  return health.checks().flatMap(({ name, ok }) => (ok ? [] : [name]))
}

test('checks: each fault → its check fails; its end → all are ok', () => {
  const health = new Health({ store, disk, kinds: ['MQTT'], transports: [mqtt] })
  expect(failing(health)).toEqual(['running'])
  health.started()
  expect(health.checks().map(({ name }) => name)).toEqual(['storage', 'disk', 'mqtt', 'running'])
  expect(failing(health)).toEqual([])
  store.failedAtMs = 1
  expect(failing(health)).toEqual(['storage'])
  store.failedAtMs = null
  disk.isLow = true
  expect(failing(health)).toEqual(['disk'])
  disk.isLow = false
  mqtt.url = null
  expect(failing(health)).toEqual(['mqtt'])
  mqtt.url = 'mqtt://127.0.0.1:1883'
  expect(failing(health)).toEqual([])
  health.stopping()
  expect(failing(health)).toEqual(['running'])
})

test('checks: a transport that the settings switch off → is ok', () => {
  const health = new Health({ store, disk, kinds: ['MQTT'], transports: [] })
  health.started()
  expect(failing(health)).toEqual([])
})
