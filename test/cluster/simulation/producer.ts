/** Submits commands to simulated devices at a steady rate, over one MQTT connection to each node. */
import { setTimeout as pause } from 'node:timers/promises'
import { MqttLink } from '../_support/mqtt-link.ts'

export interface ProducerOptions {
  readonly devices: number
  readonly ports: readonly number[]
  readonly username: string
  readonly token: string
  readonly perSecond: number
}

const TURN_MS = 20
/** Time without a packet after which the producer gives a node up. */
const PATIENCE_MS = 30_000

export class SteadyProducer {
  submitted = 0
  answered = 0
  readonly #options: ProducerOptions
  readonly #links: MqttLink[] = []

  constructor(options: ProducerOptions) {
    this.#options = options
  }

  /** Submits for a time, and resolves when each node has confirmed what it received. */
  async run(seconds: number): Promise<void> {
    const { ports, username, token, perSecond, devices } = this.#options
    for (const port of ports) {
      const clientId = `sim-producer-${port}`
      const link = await MqttLink.open({ port, clientId, username, password: token, patienceMs: PATIENCE_MS })
      if (link === null) throw new Error(`The node with MQTT port ${port} refuses the producer.`)
      this.#links.push(link)
    }
    const startMs = performance.now()
    const answers: Promise<void>[] = []
    while (performance.now() - startMs < seconds * 1000) {
      const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond)
      for (; this.submitted < due; this.submitted++) answers.push(this.#submit(this.submitted % devices))
      await pause(TURN_MS)
    }
    await Promise.all(answers)
    for (const link of this.#links) link.close()
  }

  /** Submits over another node than the one of the device, where there are several. */
  async #submit(device: number): Promise<void> {
    const link = this.#links[(device + 1) % this.#links.length] as MqttLink
    const payload = JSON.stringify({ command: 'set', data: { sentMs: Date.now(), n: this.submitted } })
    if (await link.publish(`producer/request/sim-${device}`, payload)) this.answered++
  }
}
