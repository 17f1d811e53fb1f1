/** Devices of a fault run that poll over REST: each asks any node, and acknowledges to any node. */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { DeviceOptions, DeviceWorld } from './devices.ts'
import { type Answer, callNode, type NodeCall, REFUSALS } from './node-call.ts'
import type { DeviceEvent } from './records.ts'

interface Polled {
  readonly id: number
  readonly believerGuarantee: string
}

/** Polls of a device come at most this often. */
const PERIOD_MS = 300
const ANSWER_MS = 3_000
/** Polls have no connection. */
const WAY = { connection: 0, process: 0 }

export class PollingDevice {
  readonly id: string
  readonly #world: DeviceWorld
  readonly #options: DeviceOptions
  readonly #events: DeviceEvent[]
  readonly #agent = new Agent({ keepAlive: true })
  readonly #seen = new Set<number>()
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(id: string, world: DeviceWorld, options: DeviceOptions) {
    this.id = id
    this.#world = world
    this.#options = options
    this.#events = world.records.eventsOf(id)
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Ends after the poll that is on its way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
    this.#agent.destroy()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await pause(this.#world.random() * PERIOD_MS)
      const answer = await this.#call('GET', `/consumer/getLastMessage/${this.id}`)
      const [polled] = answer === null ? [] : (JSON.parse(answer.text) as Polled[])
      if (polled) await this.#receive(polled)
    }
  }

  async #receive({ id, believerGuarantee }: Polled): Promise<void> {
    this.#events.push({ is: 'seen', id, ...WAY })
    const isFirst = !this.#seen.has(id)
    this.#seen.add(id)
    if (believerGuarantee === 'NO' || (isFirst && this.#world.random() < this.#options.forgets)) return
    this.#events.push({ is: 'acknowledged', id, ...WAY })
    const body = { id, deliveryStatus: 'COMPLETED' }
    if (await this.#call('POST', `/consumer/request/${this.id}`, body))
      this.#events.push({ is: 'confirmed', id, ...WAY })
  }

  /** @returns null when no node listens, answers in time, or has its database */
  async #call(method: NodeCall['method'], path: string, body?: object): Promise<Answer | null> {
    const { token, records } = this.#world
    const node = this.#world.pickNode()
    if (node === null) return null
    const answer = await callNode({
      ...{ method, port: node.httpPort, path, token, agent: this.#agent, answerMs: ANSWER_MS },
      ...(body && { body }),
    })
    if (answer === null || answer.status === 200) return answer
    // The message was superseded meanwhile.
    if (answer.status === 409 && answer.text.includes('"deliveryStatus":"CANCELLED"')) return null
    if (!REFUSALS.includes(answer.status))
      records.unexpected.push(`${method} ${path}: status ${answer.status} ${answer.text}`)
    return null
  }
}
