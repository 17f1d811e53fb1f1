/**
 * Dispatch under thousands of random schedules, over each storage driver and with a clock that the test moves. No message
 * is lost, out of order or redelivered too early, and the interval holds, through connections, drops, acknowledgements
 * and restarts.
 */
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { attemptDurations } from '../../src/broker/attempts.ts'
import { Broker } from '../../src/broker/broker.ts'
import { systemClock } from '../../src/broker/clock.ts'
import { GENERAL_SETTINGS } from '../../src/broker/device-settings.ts'
import { Dispatcher } from '../../src/broker/dispatcher.ts'
import { StatusConflict } from '../../src/broker/errors.ts'
import type { DispatchedMessage } from '../../src/broker/message.ts'
import type { AckStatus, Guarantee, Status } from '../../src/broker/status.ts'
import type { MessageStore } from '../../src/broker/store.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { whenDone } from '../_support/cleanup.ts'
import { message as newMessage } from '../_support/message.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { TemporaryStore } from '../_support/store.ts'
import { WatchedStore } from '../_support/watched-store.ts'

vi.setConfig({ testTimeout: 120_000 })

const TIMEOUT_MS = 30_000
/** Number of attempts that a new connection ends at once. Later ones run to their end. */
const QUICK_ATTEMPTS = 3
/** Number of schedules that run side by side, each for a device of its own. */
const DEVICES = 60

type Step =
  | { readonly do: 'send'; readonly command: string; readonly guarantee: Guarantee }
  | { readonly do: 'connect' | 'drop' | 'break' | 'mend' | 'nothing' }
  | { readonly do: 'acknowledge'; readonly which: number; readonly status: AckStatus; readonly times: number }

interface Round {
  readonly steps: readonly Step[]
  readonly passMs: number
  /** True when the round waits for the disk, false when the next round begins while it works. */
  readonly settles: boolean
  readonly restarts: 'no' | 'delivery' | 'store'
}

interface Message {
  readonly id: number
  readonly command: string
  readonly guarantee: Guarantee
  status: Status
  /** True when it was settled at the last rest of the disk: it must not be dispatched again. */
  wasSettled: boolean
}

interface Given {
  readonly id: number
  /** Time of the dispatch as the driver recorded it. */
  readonly atMs: number
  /** Time at which the message reached the connections of the device, once the record was durable. */
  readonly sentMs: number
  /** The attempt, counted from 1. */
  readonly counted: number
}

/** Returns the duration of an attempt. */
function durationMs(counted: number): number {
  return Math.min(counted, 5) * TIMEOUT_MS
}

/** The model: the messages that were sent to one device, and those it was given. */
class Device {
  readonly messages: Message[] = []
  readonly given: Given[] = []
  /** Time of the latest dispatch, even if the message was not sent because it had left the queue meanwhile. */
  dispatchedMs = 0
  connections = 0
  /** True when a connection was made after the last dispatch. */
  fresh = false
  broken = false

  get oldest(): Message | undefined {
    return this.messages.find(({ status }) => status === 'NOT_DELIVERED')
  }

  sent(message: Pick<Message, 'id' | 'command' | 'guarantee'>): void {
    // A driver may dispatch a message before the producer has its id.
    const sent = message.guarantee === 'NO' && this.given.some(({ id }) => id === message.id)
    this.messages.push({ ...message, status: sent ? 'DELIVERED' : 'NOT_DELIVERED', wasSettled: false })
  }

  /** Cancels the pending messages of a command. Called when ONLY_LAST is about to be stored. */
  supersede(command: string): void {
    for (const each of this.messages) {
      if (each.command === command && each.status === 'NOT_DELIVERED') each.status = 'CANCELLED'
    }
  }

  acknowledge(message: Message, status: AckStatus): void {
    const isFinal = ['COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED'].includes(message.status)
    if (!isFinal) message.status = status
  }

  /** Checks the rules at a dispatch to the device. */
  give({ id, atMs, counted }: DispatchedMessage, intervalMs: number): void {
    const message = this.messages.find((each) => each.id === id)
    const last = this.given.at(-1)
    expect(atMs - (last?.atMs ?? 0), 'the interval').toBeGreaterThanOrEqual(intervalMs)
    expect(message?.wasSettled, 'it was settled').not.toBe(true)
    const before = this.messages.filter((each) => each.id < id && each.status === 'NOT_DELIVERED')
    expect(before, 'an older message is pending').toEqual([])
    if (last?.id === id && (!this.fresh || last.counted > QUICK_ATTEMPTS)) {
      expect(message?.guarantee, 'a NO message is given once').not.toBe('NO')
      expect(atMs - last.atMs, 'time to acknowledge').toBeGreaterThanOrEqual(durationMs(last.counted))
    }
    if (message?.guarantee === 'NO' && message.status === 'NOT_DELIVERED') message.status = 'DELIVERED'
    this.given.push({ id, atMs, sentMs: Date.now(), counted })
    this.fresh = false
  }

  /** Checks the rules when the disk is at rest. */
  rest(nowMs: number, intervalMs: number): void {
    for (const message of this.messages) message.wasSettled = message.status !== 'NOT_DELIVERED'
    const { oldest } = this
    const last = this.given.at(-1)
    if (this.connections === 0 || !oldest || nowMs - this.dispatchedMs < intervalMs) return
    expect(last?.id, 'the device was given the oldest message').toBe(oldest.id)
    // An attempt that a restart interrupted before the message was sent runs too.
    const unsent = this.dispatchedMs > (last?.sentMs ?? 0)
    const counted = unsent ? QUICK_ATTEMPTS + 2 : (last?.counted ?? 0)
    if (counted <= QUICK_ATTEMPTS) expect(this.fresh, 'by its present connections').toBe(false)
    const latestMs = Math.max(last?.sentMs ?? 0, this.dispatchedMs)
    expect(nowMs - latestMs, 'and not too long ago').toBeLessThan(durationMs(counted))
  }
}

/** A driver with its data, which can be closed and opened again. */
interface Driver {
  readonly messages: MessageStore
  /** True when calls take effect in the order in which they are made. */
  readonly keepsOrder: boolean
  reopen(): Promise<void>
  /** Returns the recorded attempts of a device in their order; undefined where the driver has no times of attempts. */
  attempts?(deviceId: string): { readonly id: number; readonly atMs: number }[]
}

class SqliteDriver implements Driver {
  readonly keepsOrder = true
  // The durations of the broker also hold for attempts that began before a restart.
  readonly #store = new TemporaryStore({ durationsMs: attemptDurations(TIMEOUT_MS) })

  get messages(): MessageStore {
    return this.#store.messages
  }

  reopen(): Promise<void> {
    return this.#store.reopen()
  }

  attempts(deviceId: string): { id: number; atMs: number }[] {
    return this.#store.rows(
      `SELECT message_id AS id, at_ms AS atMs FROM attempts JOIN messages ON id = message_id
       WHERE device_id = ? ORDER BY at_ms, message_id`,
      deviceId,
    )
  }
}

class MemoryDriver implements Driver {
  readonly keepsOrder = false
  messages: MemoryStore

  constructor(random: () => number) {
    this.messages = openMemory({ clock: systemClock, random })
  }

  async reopen(): Promise<void> {
    const next = this.messages.second()
    this.messages.close()
    this.messages = next
  }
}

class World {
  readonly #driver: Driver
  readonly #watched = new WatchedStore((deviceId) => {
    ;(this.#devices.get(deviceId) as Device).dispatchedMs = Date.now()
  })
  readonly #intervalMs: number
  readonly #generalMs: number
  #broker!: Broker
  #dispatcher!: Dispatcher
  #devices = new Map<string, Device>()
  /** Errors of calls that the schedule does not await. */
  #failures: unknown[] = []

  /** @param generalMs the general interval. Another one than `intervalMs` is overruled by the settings of each device. */
  constructor(driver: Driver, intervalMs: number, generalMs: number) {
    this.#driver = driver
    this.#intervalMs = intervalMs
    this.#generalMs = generalMs
    this.#open()
    whenDone(() => this.#dispatcher.close())
  }

  async play(rounds: readonly Round[], name: string): Promise<void> {
    this.#devices = new Map(Array.from({ length: DEVICES }, (_, i) => [`${name}-${i}`, new Device()]))
    if (this.#intervalMs !== this.#generalMs) {
      const own = { ...GENERAL_SETTINGS, sendMessagePeriodMs: this.#intervalMs }
      for (const id of this.#devices.keys()) await this.#broker.deviceSettings.change(id, own)
      await this.#watched.rest()
    }
    for (const { steps, passMs, settles, restarts } of rounds) {
      const all = [...this.#devices]
      const enqueued = all.map(([id, device], i) => this.#perform(id, device, steps[i] as Step))
      // The id is known once the message is on disk. The other calls continue meanwhile.
      await Promise.all(enqueued)
      // A duration counts from the arrival of its answer, so that time on the way to the store makes an interval longer.
      if (!this.#driver.keepsOrder) await this.#rest()
      vi.advanceTimersByTime(passMs)
      if (restarts !== 'no') await this.#restart(restarts)
      if (settles || !this.#driver.keepsOrder) await this.#rest()
    }
    await this.#watched.rest()
    await this.#drain()
    for (const [id, device] of this.#devices) {
      await this.#dispatcher.detach(id, 'MQTT')
      await this.#compare(id, device)
    }
  }

  async #perform(id: string, device: Device, step: Step): Promise<void> {
    if (step.do === 'send') {
      const { command, guarantee } = step
      if (guarantee === 'ONLY_LAST') device.supersede(command)
      const sent = this.#broker.enqueue(newMessage({ deviceId: id, command, guarantee }))
      device.sent({ id: (await sent).id, command, guarantee })
    } else if (step.do === 'connect') {
      device.connections++
      device.fresh = true
      this.#dispatcher.attach(id, 'MQTT')
    } else if (step.do === 'drop') {
      if (device.connections === 0) return
      device.connections--
      void this.#dispatcher.detach(id, 'MQTT')
    } else if (step.do === 'break' || step.do === 'mend') {
      device.broken = step.do === 'break'
    } else if (step.do === 'acknowledge') {
      const message = step.which === 0 ? device.oldest : device.messages.at(-step.which)
      if (message) for (let n = 0; n < step.times; n++) this.#acknowledge(id, device, message, step.status)
    }
  }

  #acknowledge(id: string, device: Device, message: Message, status: AckStatus): void {
    device.acknowledge(message, status)
    this.#broker.acknowledge(id, message.id, status).catch((error) => {
      if (!(error instanceof StatusConflict)) this.#failures.push(error)
    })
  }

  async #rest(): Promise<void> {
    await this.#watched.rest()
    if (this.#failures.length > 0) throw this.#failures[0]
    for (const device of this.#devices.values()) device.rest(Date.now(), this.#intervalMs)
  }

  async #restart(what: 'delivery' | 'store'): Promise<void> {
    await this.#dispatcher.close()
    await this.#watched.rest()
    if (what === 'store') await this.#driver.reopen()
    for (const device of this.#devices.values()) device.connections = 0
    this.#open()
    await this.#broker.deviceSettings.load()
  }

  /** Connects every device and lets it acknowledge all that it is given. */
  async #drain(): Promise<void> {
    for (const [id, device] of this.#devices) {
      for (; device.connections > 0; device.connections--) await this.#dispatcher.detach(id, 'MQTT')
      device.connections = 1
      device.fresh = true
      device.broken = false
      this.#dispatcher.attach(id, 'MQTT')
    }
    await this.#rest()
    while ([...this.#devices.values()].some(({ oldest }) => oldest)) {
      vi.advanceTimersByTime(this.#intervalMs)
      await this.#rest()
      for (const [id, device] of this.#devices) {
        const { oldest } = device
        if (oldest && device.given.at(-1)?.id === oldest.id) {
          this.#acknowledge(id, device, oldest, 'COMPLETED')
        }
      }
      await this.#rest()
    }
  }

  /** Compares statuses and recorded attempts on disk with the model. */
  async #compare(deviceId: string, { messages, given }: Device): Promise<void> {
    for (const { id, guarantee, status } of messages) {
      const allowed = guarantee === 'NO' && status === 'DELIVERED' ? ['DELIVERED', 'UNKNOWN'] : [status]
      expect(allowed, deviceId).toContain(await this.#broker.status(id))
    }
    const recorded = this.#driver.attempts?.(deviceId)
    const unsent = recorded?.filter(
      ({ id, atMs }) => !given.some((each) => each.id === id && each.atMs === atMs),
    )
    expect(
      unsent?.every(({ id }) => messages.find((each) => each.id === id)?.wasSettled) ?? true,
      deviceId,
    ).toBe(true)
    if (recorded) expect(recorded.length - (unsent?.length ?? 0), deviceId).toBe(given.length)
  }

  #open(): void {
    const messages = this.#watched.over(this.#driver.messages)
    const error = ({ err }: { err?: unknown }): void => void this.#failures.push(err)
    const log = { debug() {}, info() {}, error }
    this.#broker = new Broker({ messages, queueLimit: 1_000, log })
    this.#dispatcher = new Dispatcher({
      ...{
        broker: this.#broker,
        messages,
        intervalMs: this.#generalMs,
        attemptMs: TIMEOUT_MS,
        maxAttempts: 0,
        log,
      },
      connections: {
        // As over MQTT, only the sending of NO messages is awaited, since they are lost with the connection.
        dispatch: (deviceId, message) => {
          const device = this.#devices.get(deviceId) as Device
          device.give(message, this.#intervalMs)
          return message.guarantee === 'NO' ? Promise.resolve(!device.broken) : !device.broken
        },
        disconnect() {},
      },
    })
  }
}

const send = (guarantee: Guarantee, ...commands: string[]) =>
  fc.record({
    do: fc.constant('send' as const),
    guarantee: fc.constant(guarantee),
    command: fc.constantFrom(...commands),
  })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: send('RECEIPT_CONFIRMATION', 'on', 'off') },
  { weight: 2, arbitrary: send('ONLY_LAST', 'on', 'off') },
  { weight: 2, arbitrary: send('NO', 'ping') },
  { weight: 3, arbitrary: fc.constant({ do: 'connect' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'drop' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('break' as const, 'mend', 'nothing') }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('acknowledge' as const),
      which: fc.nat({ max: 4 }),
      status: fc.constantFrom('DELIVERED' as const, 'COMPLETED', 'COMPLETED_WITH_ERROR'),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
)

const schedules = (intervalMs: number): fc.Arbitrary<Round[]> =>
  fc.array(
    fc.record({
      steps: fc.array(step, { minLength: DEVICES, maxLength: DEVICES }),
      passMs: fc
        .constantFrom(0, 0, 1, intervalMs - 1, intervalMs, intervalMs + 1, TIMEOUT_MS - 1, TIMEOUT_MS)
        .map((ms) => Math.max(0, ms)),
      settles: fc.boolean(),
      restarts: fc.oneof(
        { weight: 20, arbitrary: fc.constant('no' as const) },
        { weight: 1, arbitrary: fc.constantFrom('delivery' as const, 'store') },
      ),
    }),
    { minLength: 10, maxLength: 25, size: 'max' },
  )

const DRIVERS = {
  SQLite: () => new SqliteDriver(),
  memory: () => new MemoryDriver(seeded(Number(process.env.MEMORY_SEED ?? 1))),
}

describe.each(Object.entries(DRIVERS))('dispatch over %s', (_, openDriver) => {
  test.each([
    [2_000, 2_000],
    [0, 0],
    [2_000, 0],
  ])(
    'random schedules: an interval of %i ms (general: %i ms) → as the model says',
    async (intervalMs, generalMs) => {
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
        now: 1_800_000_000_000,
      })
      whenDone(() => vi.useRealTimers())
      const world = new World(openDriver(), intervalMs, generalMs)
      let played = 0
      await fc.assert(
        fc.asyncProperty(schedules(intervalMs), (rounds) => world.play(rounds, `device-${played++}`)),
        { numRuns: runs(3), interruptAfterTimeLimit: 30_000, endOnFailure: true },
      )
    },
  )
})
