/**
 * Two calls at once on two nodes of the memory store, in a thousand random orders each. The rules of the races follow from
 * the two results and the final state. Both orders must occur.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NewMessage } from '../../src/broker/message.ts'
import { ACK_STATUSES, type AckStatus, type Status } from '../../src/broker/status.ts'
import type { CancelOutcome, Outcome } from '../../src/broker/store.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  limits,
  put,
  RULES,
  terms,
} from '../contract/store-under-test.ts'

const VALID_MS = 5_000
const VALID = { terms: terms({ validSeconds: 5 }) }

/** Two nodes with messages for device `pump`. */
class World {
  readonly clock = new HeldClock()
  readonly random: () => number
  readonly first: MemoryStore
  readonly second: MemoryStore

  constructor(seed: number) {
    this.random = seeded(seed)
    this.first = openMemory({ clock: this.clock, random: this.random })
    this.second = this.first.second()
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T
  }

  put(parts: Partial<NewMessage> = {}): Promise<number> {
    return put(this.first, parts)
  }

  /** Stores a message and dispatches it over a lease. */
  async putDispatched(parts: Partial<NewMessage> = {}): Promise<number> {
    const id = await this.put(parts)
    await this.claim()
    return id
  }

  async claim() {
    return claimMessage(await this.first.attach('pump', 'MQTT'))
  }

  acknowledge(id: number, status: AckStatus): Promise<Outcome | null> {
    return acknowledge(this.second, id, status)
  }

  /** Returns the present state of a message. */
  state(id: number) {
    const { status, cause } = this.first.record(id) ?? {}
    const { changes, report, attempts } = this.first.extras(id)
    return {
      status,
      cause,
      causes: changes.map((each) => each.cause),
      lateStatus: report?.lateStatus,
      attempts,
    }
  }

  /** Expects an acknowledgement to have counted, and its message to be out of the queue. */
  async expectCounted(id: number, outcome: Outcome | null, status: AckStatus): Promise<void> {
    expect(outcome).toMatchObject({ status, transition: { status, cause: 'ACKNOWLEDGED' } })
    expect(this.state(id)).toMatchObject({ status, cause: null })
    expect(await this.first.head('pump')).toBeNull()
  }
}

/** Runs a race with many seeds. `play` checks the rule and returns the call that came first. */
async function race(play: (world: World) => Promise<string>, orders: readonly string[]): Promise<void> {
  const seen = new Set<string>()
  const property = fc.asyncProperty(fc.nat(), async (seed) => void seen.add(await play(new World(seed))))
  await fc.assert(property, { numRuns: runs(200) })
  expect([...seen].toSorted()).toEqual(orders.toSorted())
}

describe('races', () => {
  test('race: acknowledge × expire of a dispatched message → the acknowledgement counts', () =>
    race(
      async (world) => {
        const id = await world.putDispatched(VALID)
        world.clock.advance(ATTEMPT_MS)
        const status = world.pick(ACK_STATUSES)

        const [outcome, { settled }] = await Promise.all([
          world.acknowledge(id, status),
          world.first.expire(),
        ])

        await world.expectCounted(id, outcome, status)
        expect(world.state(id).causes).toEqual(settled.map(({ cause }) => cause))
        return settled.length > 0 ? 'expire' : 'acknowledge'
      },
      ['expire', 'acknowledge'],
    ))

  test('race: acknowledge × expire of an unfinished message → a final status counts, DELIVERED changes nothing', () =>
    race(
      async (world) => {
        const id = await world.put({ terms: terms({ finishSeconds: 5 }) })
        await world.acknowledge(id, 'DELIVERED')
        world.clock.advance(5_000)
        const status = world.pick(ACK_STATUSES)

        const [outcome, { settled }] = await Promise.all([
          world.acknowledge(id, status),
          world.first.expire(),
        ])

        if (status !== 'DELIVERED') await world.expectCounted(id, outcome, status)
        else {
          expect(outcome?.transition).toBeNull()
          expect(world.state(id)).toMatchObject({ status: 'UNKNOWN', cause: 'NOT_FINISHED' })
          expect(settled).toHaveLength(1)
          return outcome?.status === 'UNKNOWN' ? 'expire' : 'acknowledge'
        }
        expect(world.state(id).causes).toEqual(settled.map(({ cause }) => cause))
        return settled.length > 0 ? 'expire' : 'acknowledge'
      },
      ['expire', 'acknowledge'],
    ))

  test('race: acknowledge × park → the acknowledgement counts', () =>
    race(
      async (world) => {
        const id = await world.putDispatched()
        const status = world.pick(ACK_STATUSES)

        const [outcome, parked] = await Promise.all([
          world.acknowledge(id, status),
          world.first.park('pump', id, 1),
        ])

        await world.expectCounted(id, outcome, status)
        expect(world.state(id).causes).toEqual(parked ? ['NOT_ACKNOWLEDGED'] : [])
        return parked ? 'park' : 'acknowledge'
      },
      ['park', 'acknowledge'],
    ))

  test('race: acknowledge × cancel with force → the first wins; an acknowledgement behind it is LATE', () =>
    race(
      async (world) => {
        const id = await world.putDispatched()
        const status = world.pick(ACK_STATUSES)

        const [outcome, cancelled] = await Promise.all([
          world.acknowledge(id, status),
          world.first.cancel(id, null, true),
        ])

        if (cancelled?.transition) {
          expect(cancelled).toMatchObject({ status: 'CANCELLED', attempts: 1 })
          expect(outcome).toEqual({ status: 'CANCELLED', transition: null })
          expect(world.state(id)).toMatchObject({
            status: 'CANCELLED',
            cause: 'CANCELLED',
            lateStatus: status,
          })
          return 'cancel'
        }
        expect(cancelled).toEqual({ status, transition: null, attempts: 1 })
        await world.expectCounted(id, outcome, status)
        expect(world.state(id).lateStatus).toBeUndefined()
        return 'acknowledge'
      },
      ['cancel', 'acknowledge'],
    ))

  test('race: acknowledge × replay → the acknowledgement counts, and the message is in no queue', () =>
    race(
      async (world) => {
        const id = await world.putDispatched()
        await world.first.park('pump', id, 1)
        const status = world.pick(ACK_STATUSES)

        const [outcome, replay] = await Promise.all([
          world.acknowledge(id, status),
          world.first.replay(id, null, limits(10)),
        ])

        await world.expectCounted(id, outcome, status)
        if (replay?.is === 'replayed') {
          expect(world.state(id).causes).toEqual(['NOT_ACKNOWLEDGED', 'REPLAYED'])
          return 'replay'
        }
        expect(replay).toMatchObject({ is: 'not-unknown', status })
        return 'acknowledge'
      },
      ['replay', 'acknowledge'],
    ))

  test('race: claim × cancel → cancelled without an attempt, or dispatched; with force it tells which', () =>
    race(
      async (world) => {
        const force = world.pick([true, false])
        const guarantee = world.pick(['RECEIPT_CONFIRMATION', 'NO'] as const)
        const id = await world.put({ guarantee })
        const lease = await world.first.attach('pump', 'MQTT')

        const [claim, cancelled] = await Promise.all([
          lease.claim(null, RULES),
          world.second.cancel(id, null, force),
        ])

        const dispatched = claim.is === 'message'
        const status: Status = expectedStatus(dispatched, force, guarantee)
        const attempts = dispatched ? 1 : 0
        const outcome: Partial<CancelOutcome> = { status, attempts }
        expect(cancelled).toMatchObject(outcome)
        expect(cancelled?.transition === null).toBe(status !== 'CANCELLED')
        expect(world.state(id)).toMatchObject({ status })
        expect(world.state(id).attempts).toHaveLength(attempts)
        return dispatched ? 'claim' : 'cancel'
      },
      ['claim', 'cancel'],
    ))

  test('race: claim × expire while the deadline passes → dispatched in time, or expired, not both', () =>
    race(
      async (world) => {
        const id = await world.put(VALID)
        world.clock.advance(VALID_MS - 1)
        const deadlineMs = world.clock.wallMs() + 1
        const lease = await world.first.attach('pump', 'MQTT')
        const calls = Promise.all([lease.claim(null, RULES), world.second.expire()])
        for (let turns = Math.floor(world.random() * 4); turns > 0; turns--) await world.second.newestMs()
        world.clock.advance(1)

        const [claim, { settled }] = await calls

        if (claim.is === 'message') {
          expect(claim.message.atMs).toBeLessThan(deadlineMs)
          expect(settled).toEqual([])
          expect(world.state(id)).toMatchObject({ status: 'NOT_DELIVERED' })
          world.clock.advance(ATTEMPT_MS)
        }
        const later = (await world.first.expire()).settled
        expect([...settled, ...later]).toHaveLength(1)
        const status = claim.is === 'message' ? 'UNKNOWN' : 'CANCELLED'
        expect(world.state(id)).toMatchObject({ status, cause: 'EXPIRED' })
        return claim.is === 'message' ? 'claim' : 'expire'
      },
      ['claim', 'expire'],
    ))

  test('race: ONLY_LAST × claim of a delayed message that is due → it is superseded, in flight or not', () =>
    race(
      async (world) => {
        const delayed = await world.put({ terms: terms({ delaySeconds: 5 }) })
        world.clock.advance(world.pick([4_999, 5_000]))
        const lease = await world.first.attach('pump', 'MQTT')

        const [{ id, cancelled }, claim] = await Promise.all([
          world.second.enqueue(message({ guarantee: 'ONLY_LAST' }), limits(1)),
          lease.claim(null, RULES),
        ])

        expect(cancelled).toMatchObject([{ messageId: delayed, status: 'CANCELLED', cause: 'SUPERSEDED' }])
        expect(world.state(delayed)).toMatchObject({ status: 'CANCELLED', cause: 'SUPERSEDED' })
        expect(await world.first.head('pump')).toMatchObject({ message: { id } })
        if (claim.is !== 'message') return 'nothing claimed'
        return claim.message.id === delayed ? 'claim' : 'enqueue'
      },
      ['nothing claimed', 'claim', 'enqueue'],
    ))

  test('race: ONLY_LAST × setBusy → the message is superseded, and the pause holds', () =>
    race(
      async (world) => {
        const dispatched = await world.putDispatched()

        const [{ cancelled }] = await Promise.all([
          world.second.enqueue(message({ guarantee: 'ONLY_LAST' }), limits(1)),
          world.first.setBusy('pump', 1_000),
        ])

        expect(cancelled).toMatchObject([{ messageId: dispatched }])
        expect(Object.fromEntries(await world.second.busyDevices())).toEqual({ pump: 1_000 })
        return world.state(dispatched).attempts[0]?.outcome === 'BUSY' ? 'setBusy' : 'enqueue'
      },
      ['setBusy', 'enqueue'],
    ))

  test('race: ONLY_LAST × park → superseded, or parked; never a parked one superseded', () =>
    race(
      async (world) => {
        const id = await world.putDispatched()

        const [{ cancelled }, parked] = await Promise.all([
          world.second.enqueue(message({ guarantee: 'ONLY_LAST' }), limits(10)),
          world.first.park('pump', id, 1),
        ])

        expect(cancelled).toHaveLength(parked ? 0 : 1)
        expect(world.state(id)).toMatchObject(
          parked
            ? { status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }
            : { status: 'CANCELLED', cause: 'SUPERSEDED' },
        )
        return parked ? 'park' : 'enqueue'
      },
      ['park', 'enqueue'],
    ))

  test('race: two submits with one key → one message, one id, one is replayed', () =>
    race(
      async (world) => {
        const superseded = await world.put()
        const submission = message({
          guarantee: 'ONLY_LAST',
          idempotency: { key: 'k', fingerprint: 'f' },
        })

        const [here, there] = await Promise.all([
          world.first.enqueue(submission, limits(1)),
          world.second.enqueue(submission, limits(1)),
        ])

        expect(here.id).toBe(there.id)
        expect([here.replayed, there.replayed].toSorted()).toEqual([false, true])
        const cancelled = [...here.cancelled, ...there.cancelled]
        expect(cancelled.map(({ messageId }) => messageId)).toEqual([superseded])
        expect(await world.first.head('pump')).toMatchObject({ message: { id: here.id } })
        expect(world.first.extras(here.id)).toMatchObject({ idempotencyKey: 'k', repeats: 1 })
        return here.replayed ? 'there' : 'here'
      },
      ['here', 'there'],
    ))

  test('race: two submits with one key and other content → one message, key-reused for the second', () =>
    race(
      async (world) => {
        const submit = (node: MemoryStore, fingerprint: string) =>
          node.enqueue(message({ idempotency: { key: 'k', fingerprint } }), limits(10))

        const results = await Promise.allSettled([submit(world.first, 'f'), submit(world.second, 'g')])

        const refused = results.filter((each) => each.status === 'rejected')
        expect(refused.map(({ reason }) => reason.code)).toEqual(['key-reused'])
        const { cancelled } = await world.first.cancelAll('pump', { force: false, by: null })
        expect(cancelled).toHaveLength(1)
        return results[0].status === 'rejected' ? 'there' : 'here'
      },
      ['here', 'there'],
    ))
})

/** Returns the status after a claim and a cancellation. */
function expectedStatus(dispatched: boolean, force: boolean, guarantee: string): Status {
  if (!dispatched) return 'CANCELLED'
  if (guarantee === 'NO') return 'DELIVERED'
  return force ? 'CANCELLED' : 'NOT_DELIVERED'
}
