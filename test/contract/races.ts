/**
 * Two calls at once, in random orders. The rules of the races follow from the two results and the final state. Both orders
 * must occur.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CancelOutcome, MaybePromise, MessageStore } from '../../src/broker/contract/store.ts'
import type { BrokerError } from '../../src/broker/vocabulary/errors.ts'
import { ACK_STATUSES, type Status } from '../../src/broker/vocabulary/status.ts'
import type { World } from '../_support/race.ts'
import { ATTEMPT_MS, limits, RULES, terms } from './store-under-test.ts'

const VALID_MS = 5_000
const VALID = { terms: terms({ validSeconds: 5 }) }
/** Runs between two looks whether both orders occurred. */
const FEW = 25
/** Maximum runs until both orders have occurred. */
export const MOST_RUNS = 1_000

/**
 * Declares the races.
 *
 * @param worlds returns a maker of worlds, one for each seed
 * @param numRuns runs of each race, and more until both orders have occurred
 */
export function raceSuite(
  name: string,
  worlds: () => MaybePromise<(seed: number) => World>,
  numRuns: number,
): void {
  describe(`races, ${name}`, () => {
    /** Runs a race with many seeds. `play` checks the rule and returns the call that came first. */
    async function race(play: (world: World) => Promise<string>, orders: readonly string[]): Promise<void> {
      const seen = new Set<string>()
      const worldOf = await worlds()
      const property = fc.asyncProperty(fc.nat(), async (seed) => void seen.add(await play(worldOf(seed))))
      let left = Math.max(numRuns, MOST_RUNS)
      for (let runs = numRuns; runs > 0 && left > 0; runs = seen.size < orders.length ? FEW : 0) {
        await fc.assert(property, { numRuns: runs })
        left -= runs
      }
      expect([...seen].toSorted()).toEqual(orders.toSorted())
    }

    test('race: acknowledge × expire of a dispatched message → the acknowledgement counts', () =>
      race(
        async (world) => {
          const id = await world.putDispatched(VALID)
          world.clock.advance(ATTEMPT_MS)
          const status = world.pick(ACK_STATUSES)

          const [outcome, { settled }] = await world.race(
            () => world.acknowledge(id, status),
            () => world.expire(),
          )

          await world.expectCounted(id, outcome, status)
          expect((await world.state(id)).causes).toEqual(settled.map(({ cause }) => cause))
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

          const [outcome, { settled }] = await world.race(
            () => world.acknowledge(id, status),
            () => world.expire(),
          )

          if (status !== 'DELIVERED') await world.expectCounted(id, outcome, status)
          else {
            expect(outcome?.transition).toBeNull()
            expect(await world.state(id)).toMatchObject({ status: 'UNKNOWN', cause: 'NOT_FINISHED' })
            expect(settled).toHaveLength(1)
            return outcome?.status === 'UNKNOWN' ? 'expire' : 'acknowledge'
          }
          expect((await world.state(id)).causes).toEqual(settled.map(({ cause }) => cause))
          return settled.length > 0 ? 'expire' : 'acknowledge'
        },
        ['expire', 'acknowledge'],
      ))

    test('race: acknowledge × park → the acknowledgement counts', () =>
      race(
        async (world) => {
          const id = await world.putDispatched()
          const status = world.pick(ACK_STATUSES)

          const [outcome, parked] = await world.race(
            () => world.acknowledge(id, status),
            () => world.park(id),
          )

          await world.expectCounted(id, outcome, status)
          expect((await world.state(id)).causes).toEqual(parked ? ['NOT_ACKNOWLEDGED'] : [])
          return parked ? 'park' : 'acknowledge'
        },
        ['park', 'acknowledge'],
      ))

    test('race: acknowledge × cancel with force → the first wins; an acknowledgement behind it is LATE', () =>
      race(
        async (world) => {
          const id = await world.putDispatched()
          const status = world.pick(ACK_STATUSES)

          const [outcome, cancelled] = await world.race(
            () => world.acknowledge(id, status),
            () => world.first.cancel(id, { by: null, force: true }),
          )

          if (cancelled?.transition) {
            expect(cancelled).toMatchObject({ status: 'CANCELLED', attempts: 1 })
            expect(outcome).toEqual({ status: 'CANCELLED', transition: null })
            expect(await world.state(id)).toMatchObject({
              status: 'CANCELLED',
              cause: 'CANCELLED',
              lateStatus: status,
            })
            return 'cancel'
          }
          expect(cancelled).toEqual({ status, transition: null, attempts: 1 })
          await world.expectCounted(id, outcome, status)
          expect((await world.state(id)).lateStatus).toBeUndefined()
          return 'acknowledge'
        },
        ['cancel', 'acknowledge'],
      ))

    test('race: acknowledge × replay → the acknowledgement counts, and the message is in no queue', () =>
      race(
        async (world) => {
          const id = await world.putDispatched()
          await world.park(id)
          const status = world.pick(ACK_STATUSES)

          const [outcome, replay] = await world.race(
            () => world.acknowledge(id, status),
            () => world.first.replay(id, { by: null, limits: limits(10) }),
          )

          await world.expectCounted(id, outcome, status)
          if (replay?.is === 'replayed') {
            expect((await world.state(id)).causes).toEqual(['NOT_ACKNOWLEDGED', 'REPLAYED'])
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
          const lease = await world.attach()

          const [claim, cancelled] = await world.race(
            () => lease.claim(null, RULES),
            () => world.second.cancel(id, { by: null, force }),
          )

          const dispatched = claim.is === 'message'
          if (dispatched) await claim.recorded
          const status: Status = expectedStatus(dispatched, force, guarantee)
          const attempts = dispatched ? 1 : 0
          const outcome: Partial<CancelOutcome> = { status, attempts }
          expect(cancelled).toMatchObject(outcome)
          expect(cancelled?.transition === null).toBe(status !== 'CANCELLED')
          expect(await world.state(id)).toMatchObject({ status })
          expect((await world.state(id)).attempts).toHaveLength(attempts)
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
          const lease = await world.attach()
          const calls = world.race(
            () => lease.claim(null, RULES),
            () => world.expire(),
          )
          for (let turns = Math.floor(world.random() * 4); turns > 0; turns--) await world.second.newestMs()
          world.clock.advance(1)

          const [claim, { settled }] = await calls

          if (claim.is === 'message') {
            expect(claim.message.atMs).toBeLessThan(deadlineMs)
            expect(settled).toEqual([])
            expect(await world.state(id)).toMatchObject({ status: 'NOT_DELIVERED' })
            world.clock.advance(ATTEMPT_MS)
          }
          const later = (await world.expire()).settled
          expect([...settled, ...later]).toHaveLength(1)
          const status = claim.is === 'message' ? 'UNKNOWN' : 'CANCELLED'
          expect(await world.state(id)).toMatchObject({ status, cause: 'EXPIRED' })
          return claim.is === 'message' ? 'claim' : 'expire'
        },
        ['claim', 'expire'],
      ))

    test('race: ONLY_LAST × claim of a delayed message that is due → it is superseded, in flight or not', () =>
      race(
        async (world) => {
          const delayed = await world.put({ terms: terms({ delaySeconds: 5 }) })
          world.clock.advance(world.pick([4_999, 5_000]))
          const lease = await world.attach()

          const [{ id, cancelled }, claim] = await world.race(
            () => world.second.enqueue(world.message({ guarantee: 'ONLY_LAST' }), limits(1)),
            () => lease.claim(null, RULES),
          )

          expect(cancelled).toMatchObject([{ messageId: delayed, status: 'CANCELLED', cause: 'SUPERSEDED' }])
          expect(await world.state(delayed)).toMatchObject({ status: 'CANCELLED', cause: 'SUPERSEDED' })
          expect(await world.head()).toMatchObject({ message: { id } })
          if (claim.is !== 'message') return 'nothing claimed'
          return claim.message.id === delayed ? 'claim' : 'enqueue'
        },
        ['nothing claimed', 'claim', 'enqueue'],
      ))

    test('race: ONLY_LAST × setBusy → the message is superseded, and the pause holds', () =>
      race(
        async (world) => {
          const dispatched = await world.putDispatched()

          const [{ cancelled }] = await world.race(
            () => world.second.enqueue(world.message({ guarantee: 'ONLY_LAST' }), limits(1)),
            () => world.first.setBusy(world.device, 1_000),
          )

          expect(cancelled).toMatchObject([{ messageId: dispatched }])
          expect((await world.second.busyDevices()).get(world.device)).toBe(1_000)
          return (await world.state(dispatched)).attempts[0]?.outcome === 'BUSY' ? 'setBusy' : 'enqueue'
        },
        ['setBusy', 'enqueue'],
      ))

    test('race: ONLY_LAST × park → superseded, or parked; never a parked one superseded', () =>
      race(
        async (world) => {
          const id = await world.putDispatched()

          const [{ cancelled }, parked] = await world.race(
            () => world.second.enqueue(world.message({ guarantee: 'ONLY_LAST' }), limits(10)),
            () => world.park(id),
          )

          expect(cancelled).toHaveLength(parked ? 0 : 1)
          expect(await world.state(id)).toMatchObject(
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
          const submission = world.message({
            guarantee: 'ONLY_LAST',
            idempotency: { scope: 'shop', key: world.device, fingerprint: 'f' },
          })

          const [here, there] = await world.race(
            () => world.first.enqueue(submission, limits(1)),
            () => world.second.enqueue(submission, limits(1)),
          )

          expect(here.id).toBe(there.id)
          expect([here.replayed, there.replayed].toSorted()).toEqual([false, true])
          const cancelled = [...here.cancelled, ...there.cancelled]
          expect(cancelled.map(({ messageId }) => messageId)).toEqual([superseded])
          expect(await world.head()).toMatchObject({ message: { id: here.id } })
          expect(await world.extras(here.id)).toMatchObject({ idempotencyKey: world.device, repeats: 1 })
          return here.replayed ? 'there' : 'here'
        },
        ['here', 'there'],
      ))

    test('race: two submits with one key and other content → one message, key-reused for the second', () =>
      race(
        async (world) => {
          const submit = (node: MessageStore, fingerprint: string) =>
            node.enqueue(
              world.message({ idempotency: { scope: 'shop', key: world.device, fingerprint } }),
              limits(10),
            )

          const codes = await world.race(
            () => submit(world.first, 'f').then(() => 'stored', codeOf),
            () => submit(world.second, 'g').then(() => 'stored', codeOf),
          )

          expect(codes.toSorted()).toEqual(['key-reused', 'stored'])
          const { cancelled } = await world.first.cancelAll(
            world.device,
            { force: false, by: null },
            { limit: 10_000 },
          )
          expect(cancelled).toHaveLength(1)
          return codes[0] === 'stored' ? 'here' : 'there'
        },
        ['here', 'there'],
      ))
  })
}

/** Returns the status after a claim and a cancellation. */
function expectedStatus(dispatched: boolean, force: boolean, guarantee: string): Status {
  if (!dispatched) return 'CANCELLED'
  if (guarantee === 'NO') return 'DELIVERED'
  return force ? 'CANCELLED' : 'NOT_DELIVERED'
}

function codeOf(error: unknown): string {
  return (error as BrokerError).code
}
