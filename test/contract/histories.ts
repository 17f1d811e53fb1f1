/**
 * The same random history on several drivers. Calls one after the other have the same answers on each driver. Calls at the same
 * time have answers that they would have in some order, one after the other, on the memory driver.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { HeldClock } from '../_support/clock.ts'
import { atOnce, type Group, oneByOne, type PlacedCall } from '../_support/history-calls.ts'
import { type FinalState, Player } from '../_support/history-player.ts'
import { openMemoryWith } from '../_support/opened-stores.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Opens a driver. All histories run on it, one after the other. */
export type OpenDriver = () => Promise<StoreUnderTest> | StoreUnderTest

/** Time after which no further history is played, nor a shorter failing one searched. */
const SEARCH_MS = 45_000
/** Calls that one search for an order makes at most. */
const MAX_PLAYS = 20_000

/** Declares the histories. Of calls one after the other, the first driver is compared with each of the others. */
export function historySuite(drivers: Readonly<Record<string, OpenDriver>>, numRuns: number): void {
  const names = Object.keys(drivers)
  const seed = inject('seed')
  const options = { numRuns, interruptAfterTimeLimit: SEARCH_MS, ...(seed !== null && { seed }) }

  describe('histories', () => {
    let opened: StoreUnderTest[]
    let run = 0
    let latest: Promise<unknown> = Promise.resolve()
    beforeAll(async () => {
      opened = await Promise.all(Object.values(drivers).map((open) => open()))
    })

    /** Plays a history when the one before has ended, which may go on after the search for a shorter one was interrupted. */
    const inTurn = (play: (run: number) => Promise<void>): Promise<void> => {
      const played = latest.then(() => play(++run))
      latest = played.catch(() => {})
      return played
    }

    test(`history: calls one after the other → equal answers, events and lists on ${names.join(', ')}`, () =>
      fc.assert(
        fc.asyncProperty(oneByOne, (history) =>
          inTurn(async (run) => {
            const players = await Promise.all(opened.map((under) => Player.on(under, run, false)))
            await thenRemoved(players, () => compareOneByOne(history, players, names))
          }),
        ),
        options,
      ))

    test.each(names.map((name, i) => [name, i] as const))(
      'history on %s: calls at the same time → answers and lists as in some order',
      (_, i) =>
        fc.assert(
          fc.asyncProperty(atOnce, (history) =>
            inTurn(async (run) => {
              const player = await Player.on(opened[i] as StoreUnderTest, run, true)
              await thenRemoved([player], () => explain(history, player, run))
            }),
          ),
          options,
        ),
    )
  })
}

async function thenRemoved(players: readonly Player[], play: () => Promise<void>): Promise<void> {
  try {
    await play()
  } finally {
    await Promise.all(players.map((player) => player.removeAll()))
  }
}

async function compareOneByOne(
  history: readonly Group[],
  players: readonly Player[],
  names: readonly string[],
): Promise<void> {
  for (const group of history) {
    const answers = await Promise.all(players.map((player) => player.play(group, player.place(group))))
    for (const [i, answer] of answers.entries())
      expect(answer, `${names[i]} answers ${JSON.stringify(group)} as ${names[0]}`).toEqual(answers[0])
    const dueInMs = players[0]?.nextInMs ?? null
    for (const [i, { nextInMs }] of players.entries())
      if (dueInMs !== null) expect(nextInMs, `${names[i]} misses no deadline`).toBeLessThanOrEqual(dueInMs)
  }
  const finals = await Promise.all(players.map((player) => player.finalState()))
  for (const [i, final] of finals.entries())
    expect(final, `${names[i]} has stored the same as ${names[0]}`).toEqual(finals[0])
  const events = await Promise.all(players.map((player) => player.events()))
  for (const [i, each] of events.entries())
    expect(each, `${names[i]} reports as ${names[0]}`).toEqual(events[0])
}

/** A call with the answer that the driver under test gave. */
interface Played {
  readonly group: Group
  readonly placed: PlacedCall
  readonly answer: unknown
}

/** Plays a history, and fails unless there is an order of its calls that explains all that the driver answered and stored. */
async function explain(history: readonly Group[], player: Player, run: number): Promise<void> {
  const startMs = player.nowMs
  const groups: Played[][] = []
  for (const group of history.flatMap(withKeysRemovedAlone)) {
    const placed = player.place(group)
    const answers = await player.play(group, placed)
    groups.push(placed.map((each, i) => ({ group, placed: each, answer: answers[i] })))
  }
  const search = new OrderSearch(groups, await player.finalState(), async () => {
    const reference = await Player.on(
      openMemoryWith(new HeldClock(startMs), () => 0),
      run,
      true,
    )
    for (const [number, first] of player.numbers.aliases) reference.numbers.aliases.set(number, first)
    return reference
  })
  await search.run()
}

/** Takes removals of keys out of a group: a key that a submit uses at the same time may stay until the next removal. */
function withKeysRemovedAlone({ calls, ...before }: Group): Group[] {
  const others = calls.filter(({ verb }) => verb !== 'purgeSubmissions')
  const removals = calls.filter(({ verb }) => verb === 'purgeSubmissions')
  return [others, ...removals.map((removal) => [removal])]
    .filter(({ length }) => length > 0)
    .map((group, i) => (i === 0 ? { ...before, calls: group } : { passMs: 0, end: null, calls: group }))
}

/** Searches for an order of calls, one after the other, that has the answers of calls that were made at the same time. */
class OrderSearch {
  readonly #groups: readonly (readonly Played[])[]
  readonly #final: FinalState
  readonly #newPlayer: () => Promise<Player>
  readonly #states = new Set<string>()
  #plays = 0
  /** The longest order that fits, for the error. */
  #longest: readonly Played[] = []
  /** Final state of the latest order that explains all answers. */
  #lastFinal: FinalState | null = null

  constructor(groups: readonly (readonly Played[])[], final: FinalState, newPlayer: () => Promise<Player>) {
    this.#groups = groups
    this.#final = final
    this.#newPlayer = newPlayer
  }

  /** @throws {Error} no order fits */
  async run(): Promise<void> {
    if (await this.#extend([], await this.#newPlayer())) return
    if (this.#lastFinal)
      expect(this.#lastFinal, 'an order that explains the answers stores the same').toEqual(this.#final)
    const failed = this.#groups.find((group) => group.some((each) => !this.#longest.includes(each)))
    const text = (each: Played) =>
      `${this.#longest.includes(each) ? 'fits' : 'does not fit'}: ${JSON.stringify(each.placed)}\n    → ${JSON.stringify(each.answer)}`
    throw new Error(`No order of the calls explains the answers.\n  ${(failed ?? []).map(text).join('\n  ')}`)
  }

  /** @param player has played the calls of `order` */
  async #extend(order: readonly Played[], player: Player): Promise<boolean> {
    if (order.length > this.#longest.length) this.#longest = order
    const group = this.#groups.find((each) => each.some((played) => !order.includes(played)))
    if (group === undefined) {
      this.#lastFinal = await player.finalState()
      return isEqual(this.#lastFinal, this.#final)
    }
    const left = group.filter((each) => !order.includes(each))
    // Two orders that lead to the same state need one search.
    const state = JSON.stringify([this.#groups.indexOf(group), left.map((each) => group.indexOf(each))])
    if (this.#isKnown(state + (await player.fingerprint()))) return false
    let current: Player | null = player
    const nothing = left.find((each) => isNothing(each) && each.placed.attempt === null)
    for (const next of nothing ? [nothing] : left) {
      if (!isNextSubmit(next, left)) continue
      current ??= await this.#repeat(order)
      if (isEqual(await this.#play(current, next, left.length === group.length), next.answer)) {
        if (await this.#extend([...order, next], current)) return true
      }
      current = null
    }
    return false
  }

  #isKnown(state: string): boolean {
    if (this.#states.has(state)) return true
    this.#states.add(state)
    return false
  }

  async #repeat(order: readonly Played[]): Promise<Player> {
    const player = await this.#newPlayer()
    for (const [i, played] of order.entries())
      await this.#play(player, played, played.group !== order[i - 1]?.group)
    return player
  }

  async #play(player: Player, played: Played, isFirst: boolean): Promise<unknown> {
    if (++this.#plays > MAX_PLAYS) throw new Error(`No order was found in ${MAX_PLAYS} calls.`)
    const before = isFirst ? played.group : ({ passMs: 0, end: null } as const)
    const { call, attempt } = played.placed
    const calls: PlacedCall[] =
      call.verb === 'claim' && call.ended && attempt && isNothing(played)
        ? [{ ...played.placed, call: { verb: 'endAttempt', device: call.device, ...call.ended } }]
        : isNothing(played)
          ? []
          : [played.placed]
    const [answer] = await player.play(before, calls)
    return isNothing(played) ? played.answer : answer
  }
}

/**
 * Tells whether a call returned nothing to dispatch. During a change that is not durable yet, the queue may seem empty: the message before
 * the change is not dispatched any more, and the one after it not yet.
 */
function isNothing({ placed: { call }, answer }: Played): boolean {
  if (call.verb === 'claim') return isEqual(answer, { is: 'empty' })
  return ['head', 'take', 'takeFirst'].includes(call.verb) && answer === null
}

/** Submits take effect in their order. */
function isNextSubmit(next: Played, left: readonly Played[]): boolean {
  return (
    next.placed.call.verb !== 'enqueue' || left.find(({ placed }) => placed.call.verb === 'enqueue') === next
  )
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
