/**
 * Plays the calls of a random history on one driver, and returns answers that can be compared with the answers of
 * another driver.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditEntry } from '../../src/audit/audit.ts'
import type {
  AttemptKey,
  AttemptRules,
  DeviceLease,
  Head,
  Taken,
} from '../../src/broker/contract/device-lease.ts'
import type { Expiry, MessageStore } from '../../src/broker/contract/store.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { BrokerError, HandedOver, QueueFull } from '../../src/broker/vocabulary/errors.ts'
import type { StoreUnderTest } from '../contract/store-under-test.ts'
import { allEvents } from './all-events.ts'
import { type Call, DEVICES, type Group, type PlacedCall } from './history-calls.ts'
import { attemptsIn, SubmitNumbers, withoutTimes } from './history-numbers.ts'
import { message } from './message.ts'

/** Stored data of a driver at the end of a history. */
export interface FinalState {
  readonly messages: readonly unknown[]
  readonly devices: readonly unknown[]
  readonly busy: unknown
  readonly service: unknown
  readonly pendingDevices: unknown
  readonly openAttempts: unknown
  readonly audit: unknown
}

const EVENT_TURNS = 10
/** Events that need not be equal: a driver may report a deadline or open attempts that changed since. */
const HINTS: readonly string[] = ['deadline', 'attempts-left', 'transitioned']

export class Player {
  readonly #under: StoreUnderTest
  readonly #run: number
  readonly #auditBefore: number
  #store: MessageStore
  /** Ids and numbers of the submits. A player that repeats the calls of another player gets its aliases. */
  readonly numbers: SubmitNumbers
  /** Devices by the number of their submit. */
  readonly #targets: string[] = []
  #submits = 0
  #attaches = 0
  readonly #leases = new Map<number, DeviceLease>()
  /** Numbers of the leases that are not over, by device. */
  readonly #holders = perDevice<number | null>(() => null)
  /** Numbers of the attaches of each device, since the store was opened. */
  #attached = perDevice<number[]>(() => [])
  /** Open attempts of all answers by device, the newest last. */
  readonly #attempts = perDevice<AttemptKey[]>(() => [])
  /** The latest answer of `head` by device. */
  readonly #heads = perDevice<Head | null>(() => null)
  readonly #events = new Set<string>()
  /** Time until the next deadline after the latest `expire`. */
  nextInMs: number | null = null

  /**
   * @param run number of the history on this store, which its devices and keys carry
   * @param isConcurrent true for concurrent calls
   */
  static async on(under: StoreUnderTest, run: number, isConcurrent: boolean): Promise<Player> {
    return new Player(under, run, isConcurrent, (await under.audit()).length)
  }

  private constructor(under: StoreUnderTest, run: number, isConcurrent: boolean, auditBefore: number) {
    this.#under = under
    this.#run = run
    this.numbers = new SubmitNumbers(isConcurrent)
    this.#auditBefore = auditBefore
    this.#store = under.store
    this.#watch()
  }

  get nowMs(): number {
    return this.#under.clock.wallMs()
  }

  /** Determines the subjects of calls, from what this player has seen so far. */
  place({ calls, end }: Group): PlacedCall[] {
    if (end !== null) this.#attached = perDevice(() => [])
    const submits = this.#submits
    const attached = this.#attached.map((numbers) => [...numbers])
    const back = (places: number | null | undefined): number | null =>
      places == null || submits - 1 - places < 0 ? null : submits - 1 - places
    return calls.map((call) => {
      const device = 'device' in call ? (call.device ?? 0) : 0
      const latest = call.verb === 'claim' ? call.ended?.latest : 'latest' in call ? call.latest : undefined
      const isSubmit = call.verb === 'enqueue'
      return {
        call,
        number: isSubmit
          ? this.#submits++
          : call.verb === 'attach'
            ? this.#attaches++
            : 'which' in call
              ? back(call.which)
              : null,
        replaces: isSubmit ? back(call.replaces) : null,
        resentFrom: isSubmit ? back(call.resentFrom) : null,
        attempt: latest === undefined ? null : (this.#attempts[device]?.at(-1 - latest) ?? null),
        head: call.verb === 'take' ? (this.#heads[device] ?? null) : null,
        lease: 'lease' in call ? (attached[device]?.at(-1 - call.lease) ?? null) : null,
      }
    })
  }

  /** Plays concurrent calls. Returns their answers, in the order of the calls. */
  async play({ passMs, end }: Omit<Group, 'calls'>, calls: readonly PlacedCall[]): Promise<unknown[]> {
    this.#under.clock.advance(passMs)
    if (end !== null) {
      await this.#waitForEvents()
      this.#store = await (end === 'kill' ? this.#under.kill() : this.#under.reopen())
      this.#leases.clear()
      this.#attached = perDevice(() => [])
      this.#watch()
    }
    for (const { call, number } of calls) {
      if (number === null) continue
      if (call.verb === 'enqueue') this.#targets[number] = this.#devices[call.device] as string
      if (call.verb === 'attach') this.#attached[call.device]?.push(number)
    }
    const answers = await Promise.all(calls.map((each) => this.#answer(each)))
    for (const [i, { call, number }] of calls.entries()) {
      const id = (answers[i] as { id?: number } | null)?.id
      if (call.verb !== 'enqueue' || number === null || id === undefined) continue
      this.numbers.add(number, id)
    }
    const compared = answers.map((answer) => this.numbers.compared(answer))
    for (const [i, { call }] of calls.entries()) this.#remember(call, compared[i])
    return compared
  }

  /** Returns the events so far, each once. */
  async events(): Promise<string[]> {
    await this.#waitForEvents()
    const ended = (event: string) => event.replace('"forMs":false', '"forMs":true')
    return (
      [...this.#events]
        // A driver may report the end of a deadline that never ran.
        .filter((event) => !event.includes('"is":"unfinished"') || this.#events.has(ended(event)))
        .map((event) => JSON.stringify(this.numbers.compared(JSON.parse(event))))
        .toSorted()
    )
  }

  /** Returns the stored data of the driver. */
  async finalState(): Promise<FinalState> {
    const known = this.numbers.known()
    const isOurs = (deviceId: string) => this.#devices.includes(deviceId)
    const busy = [...(await this.#store.busyDevices())].filter(([deviceId]) => isOurs(deviceId))
    const service = [...(await this.#store.devicesOutOfService())].filter(([deviceId]) => isOurs(deviceId))
    const pending = [...(await this.#store.pendingDevices())].filter(isOurs)
    const open = (await this.#store.openAttempts()).filter(({ deviceId }) => isOurs(deviceId))
    const state = {
      messages: await inTurn(known, async (id) => ({
        record: await this.#under.record(id),
        extras: (await this.#under.record(id)) && (await this.#under.extras(id)),
      })),
      devices: await inTurn(this.#devices, async (deviceId) => ({
        line: await this.#store.line(deviceId),
        head: await this.#store.head(deviceId),
        settings: (await this.#store.deviceSettings()).get(deviceId) ?? null,
      })),
      busy: busy.toSorted(),
      service: service.toSorted(([a], [b]) => a.localeCompare(b)),
      pendingDevices: pending.toSorted(),
      openAttempts: open.toSorted((a, b) => a.deviceId.localeCompare(b.deviceId)),
      audit: (await this.#under.audit()).slice(this.#auditBefore).map(({ id: _, ...line }) => line),
    }
    const compared = this.numbers.compared(state) as FinalState
    // Concurrent calls may add their lines in another order.
    const audit = (compared.audit as unknown[]).map((line) => JSON.stringify(line)).toSorted()
    return { ...compared, audit }
  }

  /** Returns, as text, all state on which later answers depend, for sequential calls. */
  async fingerprint(): Promise<string> {
    return JSON.stringify([await this.finalState(), this.#holders])
  }

  /** Removes everything that the history has stored, so that the next history on this store starts without messages. */
  async removeAll(): Promise<void> {
    for (const deviceId of this.#devices) {
      await this.#store.cancelAll(deviceId, { force: true, by: null }, { limit: 10_000 })
      await this.#store.setBusy(deviceId, 0)
      await this.#store.changeDeviceSettings(deviceId, GENERAL_SETTINGS)
    }
    // A change may be some milliseconds later than the clock.
    this.#under.clock.advance(1_000)
    await this.#store.purge(this.#under.clock.wallMs())
  }

  get #devices(): string[] {
    return perDevice((n) => `pump-${this.#run}-${n}`)
  }

  #watch(): void {
    this.#store.watch(
      allEvents((event) => {
        const deviceId = 'deviceId' in event ? event.deviceId : ''
        if (HINTS.includes(event.is) || !this.#devices.includes(deviceId)) return
        this.#events.add(JSON.stringify(withoutTimes(event)))
      }),
    )
  }

  /** An event comes at most some turns after the answer. */
  async #waitForEvents(): Promise<void> {
    for (let turn = 0; turn < EVENT_TURNS; turn++) await nextTurn()
  }

  /** Processes all due deadlines, step by step. */
  async #expire(limit: number): Promise<unknown> {
    const settled: unknown[] = []
    let step: Expiry
    do {
      step = await this.#store.expire(limit)
      settled.push(...step.settled)
    } while (step.nextInMs === 0)
    this.nextInMs = step.nextInMs
    return { settled }
  }

  async #answer(placed: PlacedCall): Promise<unknown> {
    try {
      return await this.#perform(placed)
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error
      // The ids of a message differ by store.
      const text = error.message.replace(/\d+/g, '#')
      if (error instanceof HandedOver)
        return { error: error.code, text, status: error.status, attempts: error.attempts }
      if (error instanceof QueueFull) return { error: error.code, text: error.message, queue: error.queue }
      return { error: error.code, text }
    }
  }

  async #perform({ call, number, replaces, resentFrom, attempt, head, lease }: PlacedCall): Promise<unknown> {
    const store = this.#store
    const id = this.numbers.idOf(number)
    const deviceId =
      'device' in call && call.device !== undefined ? (this.#devices[call.device] as string) : ''
    const audit = 'audited' in call && call.audited ? this.#entry(call.verb) : null
    const key = attempt && {
      messageId: this.numbers.idOf(attempt.messageId),
      number: attempt.number,
      atMs: attempt.atMs,
    }
    switch (call.verb) {
      case 'enqueue': {
        const { command, guarantee, data, terms, details, replyTo, limits, sender } = call
        const fingerprint = JSON.stringify([deviceId, command, replaces, limits])
        const idempotency =
          call.key === null ? null : { scope: `scope-${this.#run}`, key: call.key, fingerprint }
        const submitted = message({
          ...{ deviceId, command, data, details, replyTo, senderId: sender, idempotency },
          guarantee: guarantee as 'NO',
          terms: guarantee === 'NO' && terms?.finishSeconds ? null : terms,
          replaces: replaces === null ? null : this.numbers.idOf(replaces),
          ...(resentFrom !== null && { links: { resentFrom: this.numbers.idOf(resentFrom) } }),
        })
        return store.enqueue(submitted, limits, audit)
      }
      case 'attach': {
        const begun = await store.attach(deviceId, 'MQTT')
        this.#leases.set(number as number, begun)
        this.#holders[call.device] = number
        return begun.state
      }
      case 'release':
        if (this.#holders[call.device] === lease) this.#holders[call.device] = null
        return lease === null ? null : this.#leases.get(lease)?.release()
      case 'claim': {
        if (lease === null) return null
        const ended = call.ended && key && { ...key, outcome: call.ended.outcome as 'TIMEOUT' }
        const claim = await this.#leases.get(lease)?.claim(ended, call.rules)
        if (claim?.is === 'message') await claim.recorded
        return claim
      }
      case 'line':
        return store.line(deviceId)
      case 'head':
        return store.head(deviceId)
      case 'take': {
        if (head === null) return null
        const of = { ...head.message, id: this.numbers.idOf(head.message.id) }
        const open = head.attempt && { ...head.attempt, messageId: this.numbers.idOf(head.attempt.messageId) }
        return store.take(deviceId, { message: of, attempt: open }, call.rules)
      }
      case 'takeFirst':
        return takeFirst(store, deviceId, call.rules)
      case 'endAttempt':
        return key && store.endAttempt(deviceId, { ...key, outcome: call.outcome as 'TIMEOUT' })
      case 'park':
        return (
          key &&
          store.park(deviceId, {
            messageId: key.messageId,
            number: key.number,
            outcome: call.outcome as 'TIMEOUT',
          })
        )
      case 'acknowledge': {
        const { status, by, report } = call
        return store.acknowledge({
          deviceId: this.#targets[number ?? -1] ?? '',
          messageId: id,
          status,
          by,
          report,
        })
      }
      case 'acknowledge for another device': {
        const others = { deviceId: `not-${this.#run}`, status: 'COMPLETED', by: null, report: null } as const
        return store.acknowledge({ ...others, messageId: id })
      }
      case 'refuseAnswer':
        return { messageId: await store.refuseAnswer(deviceId, 'no JSON') }
      case 'cancel':
        return store.cancel(id, { by: call.by, force: call.force, audit })
      case 'cancelAll': {
        const { command, sender, force, by, limit } = call
        return store.cancelAll(deviceId, { command, senderId: sender, force, by }, { limit, audit })
      }
      case 'replay':
        return store.replay(id, { by: call.by, limits: call.limits, audit })
      case 'replayAll': {
        const filter = { ...(deviceId !== '' && { deviceId }), command: call.command }
        return store.replayAll(filter, { by: call.by, limitsOf: () => call.limits, limit: call.limit, audit })
      }
      case 'sendFailed':
        return store.sendFailed(id)
      case 'setBusy':
        return store.setBusy(deviceId, call.forMs)
      case 'changeService': {
        const { reason, forMs } = call
        const untilMs = forMs === null ? null : this.#under.clock.wallMs() + forMs
        const service = forMs === 0 ? null : { untilMs, reason, by: 'root' }
        return store.changeService([{ deviceId, service, audit }])
      }
      case 'expire':
        return this.#expire(call.limit)
      case 'status':
        return store.status(id)
      case 'parties':
        return store.parties(id)
      case 'purge':
        return store.purge(this.#under.clock.wallMs() - call.beforeMs)
      case 'purgeSubmissions':
        return store.purgeSubmissions(this.#under.clock.wallMs() - call.beforeMs)
      case 'changeDeviceSettings': {
        const settings = { ...GENERAL_SETTINGS, maxAttempts: call.maxAttempts }
        return store.changeDeviceSettings(deviceId, settings, audit)
      }
      case 'openAttempts':
        return (await store.openAttempts()).toSorted((a, b) => a.deviceId.localeCompare(b.deviceId))
      case 'busyDevices':
        return [...(await store.busyDevices())].toSorted()
      case 'devicesOutOfService':
        return [...(await store.devicesOutOfService())].toSorted(([a], [b]) => a.localeCompare(b))
      case 'pendingDevices':
        return [...(await store.pendingDevices())].toSorted()
    }
    return call satisfies never
  }

  #entry(verb: string): AuditEntry {
    const by = { clientId: 'root', keyId: null, address: '127.0.0.1' }
    return { by, action: verb === 'enqueue' ? 'message.resend' : 'message.cancel', object: verb, detail: {} }
  }

  /** Keeps the open attempts and heads of an answer for later calls. */
  #remember(call: Call, answer: unknown): void {
    const device = 'device' in call ? (call.device ?? 0) : 0
    if (call.verb === 'head') this.#heads[device] = answer as Head | null
    const keys = attemptsIn(answer)
    for (const each of keys) this.#attempts[device]?.push(each)
  }
}

/** Takes the oldest message as a store with `takeFirst` does. */
async function takeFirst(store: MessageStore, deviceId: string, rules: AttemptRules): Promise<Taken | null> {
  if (store.takeFirst) return store.takeFirst(deviceId, rules)
  const head = await store.head(deviceId)
  return head === null || head.attempt !== null ? null : store.take(deviceId, head, rules)
}

function perDevice<T>(make: (device: number) => T): T[] {
  return Array.from({ length: DEVICES }, (_, n) => make(n))
}

async function inTurn<T, R>(values: readonly T[], call: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const value of values) results.push(await call(value))
  return results
}
