/** The checks of the fault runs: each broken promise is found, and each allowed case is not. */
import { describe, expect, test } from 'vitest'
import type { Status } from '../../src/broker/vocabulary/status.ts'
import { listOf, violationsOf } from '../cluster/_support/invariants.ts'
import {
  type DeviceEvent,
  RunRecords,
  type StoredAttempt,
  type StoredMessage,
} from '../cluster/_support/records.ts'

const INTERVAL_MS = 20

/** A run with one device, in which all promises hold until a test changes it. */
class Run {
  readonly records = new RunRecords()
  readonly messages: StoredMessage[] = []
  readonly attempts: StoredAttempt[] = []

  /** Adds a message that was answered, dispatched, received and completed. */
  complete(parts: Partial<StoredMessage> = {}): number {
    const id = parts.id ?? this.messages.length + 1
    const { guarantee = 'RECEIPT_CONFIRMATION', deviceId = 'pump' } = parts
    const submission = this.records.submission(deviceId, guarantee, () => 'app')
    submission.isAnswered = true
    submission.ids.add(id)
    const atMs = 1_000 * id
    this.messages.push({
      ...{
        id,
        deviceId,
        tag: submission.tag,
        guarantee,
        status: 'COMPLETED',
        cause: null,
        leftAtMs: atMs + 10,
      },
      ...parts,
    })
    this.attempts.push({ messageId: id, atMs, number: 1, transport: 'MQTT' })
    if (guarantee === 'NO') this.device('seen', id)
    else for (const is of ['seen', 'acknowledged', 'confirmed'] as const) this.device(is, id)
    return id
  }

  device(is: DeviceEvent['is'], id: number, parts: Partial<DeviceEvent> = {}): void {
    this.records.eventsOf('pump').push({ is, id, connection: 1, process: 7, ...parts })
  }

  /** Announces message 1 over connections. */
  announce(connections: readonly string[]): void {
    for (const connection of connections)
      this.records.announcements.push({ id: 1, status: 'COMPLETED', connection })
  }

  /** Announces statuses of each message over a connection. */
  announceAll(connection: string, statuses: readonly Status[]): void {
    for (const { id } of this.messages)
      for (const status of statuses) this.records.announcements.push({ id, status, connection })
  }

  violations(): string[] {
    return listOf(violationsOf(this.records, this, INTERVAL_MS))
  }
}

const runOfThree = (): Run => {
  const run = new Run()
  for (let i = 0; i < 3; i++) run.complete()
  return run
}

/** Replaces a stored message. */
function change(run: Run, id: number, parts: Partial<StoredMessage>): void {
  const at = run.messages.findIndex((message) => message.id === id)
  run.messages[at] = { ...(run.messages[at] as StoredMessage), ...parts }
}

test('fault run: every promise held → no violation', () => {
  const run = runOfThree()
  run.complete({ guarantee: 'NO', status: 'DELIVERED' })
  expect(run.violations()).toEqual([])
})

describe('fault run: broken on purpose → found', () => {
  const BROKEN: [string, (run: Run) => void, string[]][] = [
    [
      'an answered message is gone',
      (run) => run.messages.pop(),
      ['lost: t3 was answered and is not stored', 'lost: 3 was confirmed'],
    ],
    ['an answered id is not the stored one', (run) => change(run, 3, { tag: 'x' }), ['lost: t3 was']],
    [
      'an acknowledgement is gone',
      (run) => change(run, 2, { status: 'DELIVERED' }),
      ['lost: 2 was confirmed'],
    ],
    [
      'a command is stored twice',
      (run) => change(run, 3, { tag: 't1' }),
      ['lost: t1', 'lost: t3', 'doubled: t1'],
    ],
    [
      'one key has two ids',
      (run) => run.records.submissions[0]?.ids.add(9),
      ['lost: t1 was answered as 9', 'doubled: t1 has the ids 1,9'],
    ],
    [
      'a NO message is received twice',
      (run) => {
        run.complete({ guarantee: 'NO', status: 'DELIVERED' })
        run.device('seen', 4)
      },
      ['doubled: 4 with guarantee NO'],
    ],
    [
      'a NO message is received from two nodes',
      (run) => {
        run.complete({ guarantee: 'NO', status: 'DELIVERED' })
        run.device('seen', 4, { connection: 2, process: 8 })
      },
      ['doubled: 4 with guarantee NO'],
    ],
    [
      'a COMPLETED message was never received',
      (run) => run.records.devices.set('pump', run.records.eventsOf('pump').slice(3)),
      ['unseen: 1 of pump'],
    ],
    [
      'an older message is received later',
      (run) => run.records.eventsOf('pump').push(...run.records.eventsOf('pump').splice(0, 3)),
      ['outOfOrder: 1 was first received after 3'],
    ],
    [
      'a message is dispatched while an older one is pending',
      (run) => change(run, 1, { leftAtMs: 2_500 }),
      ['outOfOrder: 2 was dispatched 500 ms before 1 left the queue'],
    ],
    [
      'a second message is in flight',
      (run) => run.records.eventsOf('pump').splice(1, 2),
      ['twoInFlight: 2 was received while 1 was in flight'],
    ],
    [
      'an interval is too short',
      (run) => run.attempts.push({ messageId: 3, atMs: 3_018, number: 2, transport: 'MQTT' }),
      ['intervals: 3 of pump was dispatched 18 ms after 3'],
    ],
    [
      'a message is still pending',
      (run) => {
        run.complete()
        run.records.eventsOf('pump').splice(-2)
        change(run, 4, { status: 'NOT_DELIVERED', leftAtMs: null })
      },
      ['stuck: 4 of pump is pending'],
    ],
    [
      'a producer receives a status twice over one connection',
      (run) => run.announce(['app#1', 'app#1', 'app#2']),
      ['doubled: COMPLETED of 1 by app#1 was received twice'],
    ],
    [
      'a status does not reach its producer, or a reader of events',
      (run) => {
        run.records.listeners.set('app#1', 'app').set('events', null).set('other#1', 'other')
        run.announceAll('app#1', ['NOT_DELIVERED'])
        run.announceAll('events', ['COMPLETED'])
      },
      [
        ...[1, 2, 3].map((id) => `lost: COMPLETED of ${id} did not reach app#1`),
        ...[1, 2, 3].map((id) => `lost: NOT_DELIVERED of ${id} did not reach events`),
      ],
    ],
    [
      'an older status comes later over one connection',
      (run) => {
        run.announceAll('app#1', ['NOT_DELIVERED', 'COMPLETED', 'DELIVERED'])
        run.announceAll('app#2', ['DELIVERED', 'COMPLETED'])
      },
      [1, 2, 3].map((id) => `outOfOrder: DELIVERED of ${id} came after COMPLETED to app#1`),
    ],
    ['a client is answered 500', (run) => run.records.unexpected.push('t1: status 500'), ['unexpected: t1']],
  ]

  test.each(BROKEN)('%s', (_name, breakIt, expected) => {
    const run = runOfThree()
    breakIt(run)
    expect(run.violations()).toEqual(expected.map((start) => expect.stringMatching(new RegExp(`^${start}`))))
  })
})

describe('fault run: allowed cases → no violation', () => {
  const ALLOWED: [string, (run: Run) => void][] = [
    ['a request without an answer is not stored', (run) => void run.records.submission('pump', 'NO')],
    ['a producer that lost its connection has no status', (run) => run.announce(['app#1', 'app#2'])],
    ['a message is received again before its acknowledgement', (run) => insert(run, 0, 1)],
    ['a repetition crosses the acknowledgement', (run) => insert(run, 2, 1)],
    [
      'the first message was superseded while it was in flight',
      (run) => {
        run.records.eventsOf('pump').splice(1, 2)
        change(run, 1, { status: 'CANCELLED', cause: 'SUPERSEDED' })
      },
    ],
    [
      'two connections to one node have a NO message',
      (run) => {
        run.complete({ guarantee: 'NO', status: 'DELIVERED' })
        run.device('seen', 4, { connection: 2 })
      },
    ],
  ]

  test.each(ALLOWED)('%s', (_name, allow) => {
    const run = runOfThree()
    allow(run)
    expect(run.violations()).toEqual([])
  })
})

function insert(run: Run, at: number, id: number): void {
  run.records.eventsOf('pump').splice(at, 0, { is: 'seen', id, connection: 2, process: 8 })
}
