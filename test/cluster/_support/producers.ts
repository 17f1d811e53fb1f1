/** Producers of a fault run, over REST and MQTT. Each records what it submitted and which requests were answered. */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Guarantee, Status } from '../../../src/broker/vocabulary/status.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { DeviceWorld } from './devices.ts'
import { MqttLink } from './mqtt-link.ts'
import { ANSWER_MS, type Answer, callNode, REFUSALS } from './node-call.ts'
import type { Submission } from './records.ts'

export interface ProducerOptions {
  readonly devices: readonly string[]
  readonly producers: number
  /** Submissions of all producers in a second. */
  readonly perSecond: number
  /** Share of the producers that use MQTT. */
  readonly mqttShare: number
}

const RETRY_MS = 100
/** Probability with which a submission has an idempotency key, and goes to two nodes. */
const KEYED = 0.08
/** Number of tries of a submission with a key on one node. */
const TRIES = 60
const COMMANDS = ['start', 'stop', 'turn']

interface Announced {
  readonly id: number
  readonly deliveryStatus: Status
}

export class Producers {
  readonly #world: DeviceWorld
  readonly #options: ProducerOptions
  readonly #agent = new Agent({ keepAlive: true })
  #running: Promise<unknown> = Promise.resolve()
  #isStopped = false
  #isClosed = false
  #connections = 0
  readonly #links = new Map<string, MqttLink>()

  constructor(world: DeviceWorld, options: ProducerOptions) {
    this.#world = world
    this.#options = options
  }

  /** Number of the producers that use MQTT. They receive the statuses of all messages. */
  get mqttProducers(): number {
    return Math.ceil(this.#options.producers * this.#options.mqttShare)
  }

  async start(): Promise<void> {
    const names = Array.from({ length: this.mqttProducers }, (_, i) => nameOf(i))
    await Promise.all(names.map((name) => this.#connect(name, true)))
    const loops = Array.from({ length: this.#options.producers }, (_, i) =>
      i < this.mqttProducers ? this.#overMqtt(nameOf(i)) : this.#overRest(),
    )
    this.#running = Promise.all(loops)
  }

  /** Ends after the submissions that are on their way. The connections stay open, to receive statuses. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
    this.#agent.destroy()
  }

  /** Number of the producers with a connection. */
  get connected(): number {
    return this.#links.size
  }

  close(): void {
    this.#isClosed = true
    for (const link of this.#links.values()) link.close()
  }

  async #overRest(): Promise<void> {
    while (!this.#isStopped) {
      await this.#rest()
      const { random, records } = this.#world
      const submission = this.#next()
      if (random() < KEYED) await this.#keyed(submission, `key-${submission.tag}`)
      else {
        const answer = await this.#put(this.#world.pickNode(), submission, null)
        if (answer?.status !== 200 && answer !== null) records.refused++
      }
    }
  }

  /** Submits with one key on two nodes at once, and again until both have answered. */
  async #keyed(submission: Submission, key: string): Promise<void> {
    const submit = async (): Promise<void> => {
      for (let tries = 0; tries < TRIES; tries++) {
        const answer = await this.#put(this.#world.pickNode(), submission, key)
        if (answer?.status === 200) return
        await pause(RETRY_MS)
      }
    }
    await Promise.all([submit(), submit()])
  }

  async #overMqtt(name: string): Promise<void> {
    while (!this.#isStopped) {
      await this.#rest()
      const link = this.#links.get(name) ?? (await this.#connect(name))
      if (link === null) continue
      const submission = this.#next()
      const over = setTimeout(() => link.close(), ANSWER_MS)
      const payload = JSON.stringify(this.#bodyOf(submission))
      if (await link.publish(`producer/request/${submission.deviceId}`, payload)) submission.isAnswered = true
      clearTimeout(over)
    }
  }

  /**
   * Connects a producer to any node.
   *
   * @param isFirst the connection is there before the load begins
   * @returns null when the node does not accept it
   */
  async #connect(name: string, isFirst = false): Promise<MqttLink | null> {
    const node = this.#world.pickNode()
    if (node === null) return null
    const { token, records } = this.#world
    const connection = `${name}#${++this.#connections}`
    const link = await MqttLink.open({
      ...{ port: node.mqttPort, clientId: name, username: 'admin', password: token },
      onMessage: (_topic, payload) => {
        const { id, deliveryStatus: status } = JSON.parse(payload.toString()) as Announced
        records.announcements.push({ id, status, connection })
      },
    })
    if (!(await link?.subscribe(`producer/response/${name}`))) return null
    this.#links.set(name, link as MqttLink)
    if (isFirst) records.listeners.set(connection, name)
    void link?.closed.then(() => {
      if (this.#isClosed) return
      records.listeners.delete(connection)
      this.#links.delete(name)
    })
    return link
  }

  /** Waits for the turn of one producer. */
  #rest(): Promise<void> {
    const { producers, perSecond } = this.#options
    return pause(this.#world.random() * 2 * (1000 / perSecond) * producers)
  }

  #next(): Submission {
    const { random, records } = this.#world
    const { devices } = this.#options
    const deviceId = devices[Math.floor(random() * devices.length)] as string
    const { mqttProducers } = this
    return records.submission(deviceId, guaranteeFor(random()), (number) =>
      mqttProducers === 0 ? null : nameOf(number % mqttProducers),
    )
  }

  #bodyOf({ number, tag, guarantee, replyTo }: Submission): object {
    const command = COMMANDS[Math.floor(this.#world.random() * COMMANDS.length)]
    const messageBirthCertificate = { tmpId: number, producerDeviseId: replyTo }
    return {
      ...{ command, believerGuarantee: guarantee, data: { tag } },
      ...(replyTo !== null && { messageBirthCertificate }),
    }
  }

  async #put(node: ClusterNode | null, submission: Submission, key: string | null): Promise<Answer | null> {
    if (node === null) return null
    const { token, records } = this.#world
    // A repeated submission has the same content, so the command must not be drawn again.
    const body = key === null ? this.#bodyOf(submission) : { ...this.#bodyOf(submission), command: 'keyed' }
    const path = `/producer/request/${submission.deviceId}`
    const answer = await callNode({
      ...{ method: 'PUT', port: node.httpPort, path, body, token, agent: this.#agent },
      headers: key === null ? {} : { 'idempotency-key': key },
    })
    if (answer?.status === 200) {
      submission.ids.add((JSON.parse(answer.text) as { id: number }).id)
      submission.isAnswered = true
    } else if (answer !== null && !REFUSALS.includes(answer.status)) {
      records.unexpected.push(`${submission.tag}: status ${answer.status} ${answer.text}`)
    }
    return answer
  }
}

const nameOf = (number: number): string => `producer-${number}`

function guaranteeFor(chance: number): Guarantee {
  if (chance < 0.25) return 'NO'
  return chance < 0.9 ? 'RECEIPT_CONFIRMATION' : 'ONLY_LAST'
}
