/** MQTT devices of a fault run, each with connections of its own. It connects again when it must. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterNode } from './cluster-node.ts'
import { CommandReceiver } from './command-receiver.ts'
import { MqttLink } from './mqtt-link.ts'
import { Hearing } from './presence.ts'
import type { RunRecords } from './records.ts'

export interface DeviceWorld {
  readonly records: RunRecords
  readonly random: () => number
  readonly token: string
  /** Returns a node that listens; null while all are down. */
  pickNode(): ClusterNode | null
}

export interface DeviceOptions {
  /** Maximum time until the device acknowledges. */
  readonly acknowledgesWithinMs: number
  /** Probability with which the device does not acknowledge a command that it receives for the first time. */
  readonly forgets: number
  /** Time without a packet of the server after which the device gives a connection up. */
  readonly patienceMs: number
}

export interface Login {
  readonly username: string
  readonly password: string
}

const RETRY_MS = 100

export class FaultDevice {
  readonly id: string
  readonly #world: DeviceWorld
  readonly #options: DeviceOptions
  readonly #login: Login
  readonly #receiver: CommandReceiver
  readonly #links = new Set<MqttLink>()
  /** The newest connection. */
  #link: MqttLink | null = null
  #connections = 0
  #isStopped = false

  /** @param login another login than its own for a device without a client */
  constructor(id: string, world: DeviceWorld, options: DeviceOptions, login: Login) {
    this.id = id
    this.#login = login
    this.#world = world
    this.#options = options
    this.#receiver = new CommandReceiver(id, world, options, () => this.#link)
  }

  /** Connects to any node, and tries again until it succeeds or the device stops. */
  async connect(): Promise<void> {
    while (!this.#isStopped) {
      const node = this.#world.pickNode()
      if (node !== null && (await this.#open(node, this.#nextClientId()))) return
      await pause(RETRY_MS * (1 + this.#world.random()))
    }
  }

  /**
   * Connects to another node while the old connection stays open for a time, as a device behind a balancer does.
   *
   * @param keepsId the new connection has the MQTT client id of the previous move, so that the server ends the old one
   */
  async move(node: ClusterNode, lingerMs: number, keepsId = false): Promise<void> {
    await this.#open(node, keepsId ? this.id : this.#nextClientId(), lingerMs)
  }

  stop(): void {
    this.#isStopped = true
    for (const link of this.#links) link.close()
  }

  #nextClientId(): string {
    return `${this.id}#${this.#connections + 1}`
  }

  /** Opens a connection, which replaces the earlier ones. @returns false when it did not come to that */
  async #open(node: ClusterNode, clientId: string, lingerMs = 0): Promise<boolean> {
    const connection = ++this.#connections
    const { username, password } = this.#login
    const hearing = new Hearing(this.#world.records.heardBy(username))
    const link = await MqttLink.open({
      ...{ port: node.mqttPort, clientId, username, password },
      patienceMs: this.#options.patienceMs,
      onHeard: () => hearing.heard(),
      onMessage: (_topic, payload) => this.#receiver.receive(payload, { connection, process: node.pid }),
    })
    if (link === null) return false
    const earlier = [...this.#links]
    const previous = this.#link
    this.#links.add(link)
    this.#link = link
    if (this.#isStopped) link.close()
    if (!(await link.subscribe(`consumer/request/${this.id}`))) {
      this.#links.delete(link)
      if (this.#link === link) this.#link = previous
      return false
    }
    void link.closed.then(() => {
      this.#links.delete(link)
      if (this.#link === link) void this.connect()
    })
    await pause(lingerMs)
    for (const old of earlier) old.close()
    return true
  }
}
