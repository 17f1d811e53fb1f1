/** Broker that plays a schedule for several devices, and compares what each receives with its model. */
import { expect, vi } from 'vitest'
import { Broker } from '../../src/broker/engine/broker.ts'
import { Dispatcher } from '../../src/broker/engine/dispatcher.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { StatusConflict } from '../../src/broker/vocabulary/errors.ts'
import type { AckStatus, Guarantee } from '../../src/broker/vocabulary/status.ts'
import { whenDone } from './cleanup.ts'
import { Device, type Message, TIMEOUT_MS } from './device-model.ts'
import { message as newMessage } from './message.ts'
import type { Driver } from './model-drivers.ts'
import { WatchedStore } from './watched-store.ts'

/** Number of concurrent schedules, each for its own device. */
export const DEVICES = 60

export type Step =
  | { readonly do: 'send'; readonly command: string; readonly guarantee: Guarantee }
  | { readonly do: 'connect' | 'drop' | 'break' | 'mend' | 'nothing' }
  | { readonly do: 'acknowledge'; readonly which: number; readonly status: AckStatus; readonly times: number }

export interface Round {
  readonly steps: readonly Step[]
  readonly passMs: number
  /** True if the round waits for the disk, false if the next round begins while the disk works. */
  readonly settles: boolean
  readonly restarts: 'no' | 'delivery' | 'store'
}

export class World {
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

  /** @param generalMs the general interval. The settings of each device override a value other than `intervalMs` */
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
      // A duration counts from the arrival of its answer, so the way to the store prolongs an interval.
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
    await this.#broker.attempts.close()
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
        // As over MQTT, only the sending of NO messages is awaited, because they are lost with the connection.
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
