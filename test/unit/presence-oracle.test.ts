/**
 * Compares the presence that a store shows after random connections, polls, stops, kills and steps of the clock with an oracle
 * that saw everything. Whatever the oracle calls present is never shown as AWAY.
 */
import { expect, test } from 'vitest'
import type { PresenceStore } from '../../src/broker/contract/presence-store.ts'
import { PresenceRecorder } from '../../src/broker/views/presence-recorder.ts'
import { type PresenceSpan, presenceReport } from '../../src/broker/views/presence-spans.ts'
import { Sightings } from '../../src/broker/views/sightings.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { openIn } from '../_support/store.ts'

const DEVICES = ['pump', 'lamp', 'valve']
const METERS = ['meter', 'clock']
/** Time in which a poll follows another one, so that the device was present between them. */
const POLL_MS = 300_000
const STEPS = 120
const DAYS_MS = 30 * 86_400_000

interface Presence {
  readonly deviceId: string
  readonly fromMs: number
  toMs: number
}

/** Server of a store whose process may end at any moment, and the oracle. */
class World {
  readonly clock = new HeldClock(DAYS_MS)
  readonly present: Presence[] = []
  readonly #store: PresenceStore
  readonly #connected = new Map<number, Presence>()
  readonly #polled = new Map<string, number>()
  #sightings: Sightings | null = null
  #recorder: PresenceRecorder | null = null
  #last = 0

  constructor(store: (clock: HeldClock) => PresenceStore) {
    this.#store = store(this.clock)
  }

  get isRunning(): boolean {
    return this.#sightings !== null
  }

  async start(): Promise<void> {
    this.#sightings = new Sightings(this.clock)
    this.#recorder = new PresenceRecorder({
      ...{ store: this.#store, sightings: this.#sightings, release: '1.0.0', everyMs: 60_000 },
      ...{ keepsLog: true, keepsAddresses: true, clock: this.clock },
    })
    await this.#recorder.start()
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 15_000) {
      this.clock.advance(Math.min(left, 15_000))
      await this.#recorder?.flushDue()
    }
  }

  connect(deviceId: string, receives: boolean): void {
    const id = ++this.#last
    const nowMs = this.clock.wallMs()
    this.#connected.set(id, { deviceId, fromMs: nowMs, toMs: nowMs })
    const client = { deviceId, transport: 'MQTT', address: null, session: null, version: '5' }
    this.#sightings?.connected(id, client)
    if (receives) this.#sightings?.receives(id)
  }

  disconnect(): void {
    const [id] = this.#connected.keys()
    if (id === undefined) return
    this.#sightings?.disconnected(id, 'CLOSED')
    this.#gone(id)
  }

  poll(deviceId: string): void {
    const nowMs = this.clock.wallMs()
    const beforeMs = this.#polled.get(deviceId)
    if (beforeMs !== undefined && nowMs - beforeMs < POLL_MS)
      this.present.push({ deviceId, fromMs: beforeMs, toMs: nowMs })
    this.#polled.set(deviceId, nowMs)
    this.#sightings?.polled(deviceId)
  }

  async stop(): Promise<void> {
    while (this.#connected.size > 0) this.disconnect()
    await this.#recorder?.close()
    this.#end()
  }

  kill(): void {
    for (const id of [...this.#connected.keys()]) this.#gone(id)
    this.#end()
  }

  async spansOf(deviceId: string): Promise<readonly PresenceSpan[]> {
    await this.#recorder?.flushChanges()
    const [fromMs, toMs] = [DAYS_MS, this.clock.wallMs()]
    const [sighting] = await this.#store.sightings([deviceId])
    return presenceReport({
      periods: await this.#store.periods(deviceId, fromMs, toMs, 5_000),
      events: await this.#store.events(deviceId, fromMs, toMs, 5_000),
      runs: await this.#store.runs(fromMs, toMs, 5_000),
      firstMs: sighting?.firstMs ?? null,
      pollSeconds: sighting?.pollSeconds ?? null,
      ...{ fromMs, toMs, nowMs: toMs, knownMs: 0 },
    }).spans
  }

  end(): void {
    for (const id of [...this.#connected.keys()]) this.#gone(id)
  }

  #gone(id: number): void {
    const presence = this.#connected.get(id) as Presence
    this.#connected.delete(id)
    presence.toMs = this.clock.wallMs()
    this.present.push(presence)
  }

  #end(): void {
    this.#sightings = null
    this.#recorder = null
  }
}

const seed = seedOfRun()

test.each(Array.from({ length: runs(60) }, (_, at) => at))(
  `presence: seed ${seed}, history %i → nothing present is shown as away`,
  async (at) => {
    const draw = seeded(seed + at)
    const below = (limit: number): number => Math.floor(draw() * limit)
    const of = (ids: readonly string[]): string => ids[below(ids.length)] as string
    const world = new World((clock) => {
      const storage = openIn(temporaryDirectory(), { clock })
      whenDone(() => storage.close())
      return storage.presence
    })
    await world.start()
    for (let step = 0; step < STEPS; step++) {
      const chance = below(100)
      if (!world.isRunning) {
        await world.advance(below(below(2) === 0 ? 20_000 : 400_000))
        await world.start()
      } else if (chance < 25) world.connect(of(DEVICES), below(3) > 0)
      else if (chance < 40) world.disconnect()
      else if (chance < 70) world.poll(of(METERS))
      else if (chance < 75) world.kill()
      else if (chance < 81) await world.stop()
      await world.advance(below(below(4) === 0 ? 3_000_000 : 90_000))
    }
    // Only a server can read what a killed one stored.
    if (!world.isRunning) await world.start()
    world.end()
    for (const deviceId of [...DEVICES, ...METERS]) {
      const spans = await world.spansOf(deviceId)
      expect(spans.map(({ fromMs }) => fromMs).slice(1)).toEqual(spans.map(({ toMs }) => toMs).slice(0, -1))
      const wrong = world.present
        .filter((each) => each.deviceId === deviceId)
        .flatMap(({ fromMs, toMs }) =>
          spans.filter((span) => span.state === 'AWAY' && span.fromMs < toMs && span.toMs > fromMs),
        )
      expect(wrong).toEqual([])
    }
  },
)
