/** Receives the commands of one MQTT device of a fault run. It records what it receives, and acknowledges most of it. */
import type { DeviceOptions, DeviceWorld } from './devices.ts'
import type { MqttLink } from './mqtt-link.ts'
import type { DeviceEvent } from './records.ts'

interface Received {
  readonly id: number
  readonly believerGuarantee: string
}

/** The connection over which a command came. */
type Way = Pick<DeviceEvent, 'connection' | 'process'>

export class CommandReceiver {
  readonly #deviceId: string
  readonly #world: Pick<DeviceWorld, 'random'>
  readonly #options: DeviceOptions
  readonly #newestLink: () => MqttLink | null
  readonly #events: DeviceEvent[]
  readonly #seen = new Set<number>()

  /** @param newestLink returns the connection for acknowledgements */
  constructor(
    deviceId: string,
    world: Pick<DeviceWorld, 'random' | 'records'>,
    options: DeviceOptions,
    newestLink: () => MqttLink | null,
  ) {
    this.#deviceId = deviceId
    this.#world = world
    this.#options = options
    this.#newestLink = newestLink
    this.#events = world.records.eventsOf(deviceId)
  }

  receive(payload: Buffer, way: Way): void {
    const { id, believerGuarantee } = JSON.parse(payload.toString()) as Received
    this.#events.push({ is: 'seen', id, ...way })
    const isFirst = !this.#seen.has(id)
    this.#seen.add(id)
    if (believerGuarantee === 'NO') return
    const { random } = this.#world
    if (isFirst && random() < this.#options.forgets) return
    setTimeout(() => this.#acknowledge(id, way), random() * this.#options.acknowledgesWithinMs)
  }

  /** Acknowledges over the newest connection, half of the commands in two steps. */
  #acknowledge(id: number, way: Way): void {
    const link = this.#newestLink()
    if (link === null || link.isClosed) return
    const topic = `consumer/response/${this.#deviceId}`
    const record = (is: DeviceEvent['is']): void => {
      this.#events.push({ is, id, ...way })
    }
    record('acknowledged')
    if (this.#world.random() < 0.5)
      void link.publish(topic, JSON.stringify({ id, deliveryStatus: 'DELIVERED' }))
    void link.publish(topic, JSON.stringify({ id, deliveryStatus: 'COMPLETED' })).then((isConfirmed) => {
      if (isConfirmed) record('confirmed')
    })
  }
}
