/**
 * Fills a data directory with the presence of many devices over a month, and with incidents, through the product's own
 * storage. Runs as a process of its own. Device `d0` has the longest log that a report reads.
 */
import type { NewIncident } from '../src/broker/contract/incident-store.ts'
import type { RecordedEvent, RecordedPeriod } from '../src/broker/contract/presence-store.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { NO_LIMITS } from './messages.ts'

const BATCH = 5_000
const MONTH_MS = 30 * 24 * 3_600_000
/** Entries of device `d0`. */
const LONG_LOG = 5_000
const INCIDENTS = 500
const MEMBERS = 20

const [dataDir = '', deviceCount = '', rowCount = ''] = process.argv.slice(2)
const devices = Number(deviceCount)
const rows = Number(rowCount)
const storage = openStorage({
  directory: dataDir,
  durationsMs: [30_000],
  limits: NO_LIMITS,
  onFailure(error) {
    throw error
  },
})
const { runId } = await storage.presence.begin('bench')
for (let first = 0; first < Math.max(devices, rows / 2); first += BATCH) {
  const numbers = Array.from({ length: BATCH }, (_, i) => first + i)
  const isRow = (number: number): boolean => number < rows / 2
  await storage.presence.record(
    runId,
    {
      sightings: numbers.filter((number) => number < devices).map(sighting),
      periods: numbers.filter(isRow).map(period),
      events: numbers.filter(isRow).map(event),
    },
    'ALIVE',
  )
}
for (let number = 0; number < INCIDENTS; number++) await begin(number)
await storage.close()

function deviceOf(number: number): string {
  return number < LONG_LOG ? 'd0' : `d${number % devices}`
}

function ageOf(number: number): number {
  const share = number < LONG_LOG ? number / LONG_LOG : number / (rows / 2)
  return Math.round((1 - share) * MONTH_MS)
}

function sighting(number: number) {
  return {
    deviceId: `d${number}`,
    firstAgeMs: MONTH_MS,
    ageMs: 1_000 + number,
    transport: null,
    pollSeconds: null,
  }
}

function period(number: number): RecordedPeriod {
  const beganAgeMs = ageOf(number)
  return {
    deviceId: deviceOf(number),
    number,
    transport: 'MQTT',
    beganAgeMs,
    endedAgeMs: Math.round(beganAgeMs / 1.001),
    receivesAgeMs: beganAgeMs,
    address: `198.51.100.${number % 250}`,
    session: `session-${number % devices}`,
    version: '5',
    reason: 'CLOSED',
    detail: null,
  }
}

function event(number: number): RecordedEvent {
  const ageMs = ageOf(number)
  const detail = {
    message: 'The device id or the password is wrong.',
    transport: 'MQTT',
    address: '198.51.100.7',
  }
  return {
    ...{ deviceId: deviceOf(number), number, kind: 'REFUSED', ageMs, lastAgeMs: ageMs, count: 1 },
    detail,
  }
}

async function begin(number: number): Promise<void> {
  const atMs = Date.now() - 3_600_000
  const command = `command-${number}`
  const incident: NewIncident = {
    ...{
      key: `FAILED:${command}`,
      kind: 'FAILED',
      state: 'OPEN',
      startedMs: atMs,
      changedMs: atMs,
      endedMs: null,
    },
    ...{ devices: MEMBERS, messages: MEMBERS, waiting: 0, mostDevices: MEMBERS, mostMessages: MEMBERS },
    ...{ ack: null, mutedUntilMs: null, reopened: 0, mergedInto: null },
  }
  const members = Array.from({ length: MEMBERS }, (_, i) => ({
    ...({
      key: `FAILED:d${i}:${command}`,
      kind: 'FAILED',
      deviceId: `d${i}`,
      messageId: 1,
      command,
    } as const),
    ...{ reason: 'valve stuck', address: null, firstMs: atMs, missingSinceMs: null, endedMs: null, count: 1 },
  }))
  const lines = [{ kind: 'STARTED', by: null, text: null } as const]
  await storage.incidents.write([{ before: null, after: incident, members, movedKeys: [], lines }])
}
