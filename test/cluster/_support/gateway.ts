/** Acts as a gateway of a fault run, which has one connection for many devices and connects again when it must. */
import { setTimeout as pause } from 'node:timers/promises'
import { CommandReceiver } from './command-receiver.ts'
import type { DeviceOptions, DeviceWorld } from './devices.ts'
import { MqttLink } from './mqtt-link.ts'

const RETRY_MS = 100

export class FaultGateway {
  readonly #clientId: string
  readonly #world: DeviceWorld
  readonly #patienceMs: number
  readonly #receivers: ReadonlyMap<string, CommandReceiver>
  #link: MqttLink | null = null
  #connections = 0
  #isStopped = false

  /** @param world has the token of a client whose list of devices has all of `deviceIds` */
  constructor(clientId: string, deviceIds: readonly string[], world: DeviceWorld, options: DeviceOptions) {
    this.#clientId = clientId
    this.#world = world
    this.#patienceMs = options.patienceMs
    this.#receivers = new Map(
      deviceIds.map((id) => [id, new CommandReceiver(id, world, options, () => this.#link)]),
    )
  }

  /** Connects to any node, and tries again until it succeeds or the gateway stops. */
  async connect(): Promise<void> {
    while (!this.#isStopped && !(await this.#open())) await pause(RETRY_MS * (1 + this.#world.random()))
  }

  stop(): void {
    this.#isStopped = true
    this.#link?.close()
  }

  async #open(): Promise<boolean> {
    const node = this.#world.pickNode()
    if (node === null) return false
    const connection = ++this.#connections
    const link = await MqttLink.open({
      ...{ port: node.mqttPort, clientId: this.#clientId, username: this.#clientId },
      ...{ password: this.#world.token, patienceMs: this.#patienceMs },
      onMessage: (topic, payload) =>
        this.#receivers
          .get(topic.split('/').at(-1) ?? '')
          ?.receive(payload, { connection, process: node.pid }),
    })
    if (link === null) return false
    this.#link = link
    if (this.#isStopped) link.close()
    if (!(await link.subscribe('consumer/request/+'))) return false
    void link.closed.then(() => this.connect())
    return true
  }
}
