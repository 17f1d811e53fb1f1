/** Takes what clients send to the broker: commands and acknowledgements. Knows neither aedes nor connections. */
import { type Client, type MayActFor, mayBeTold } from '../auth/own-queue.ts'
import type { Broker } from '../broker/broker.ts'
import {
  Acknowledgement,
  checkDeviceId,
  orderOf,
  type Problem,
  ProducerMessage,
  problem,
  reader,
} from '../wire.ts'
import type { BrokerTopic } from './topics.ts'

export interface IntakeOptions {
  readonly broker: Pick<Broker, 'enqueue' | 'acknowledge'>
  readonly mayActFor: MayActFor
  /** How a client is told of an error; null for one that nobody foresaw. */
  readonly explain: (error: unknown) => Problem | null
  readonly log: { error(fields: object, message: string): void }
}

const readMessage = reader(ProducerMessage)
const readAcknowledgement = reader(Acknowledgement)

export class Intake {
  readonly #options: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /**
   * Messages are queued in the order of the calls.
   *
   * @returns null once all is on disk, else why it was refused. Never rejects
   */
  async take(client: Client, topic: BrokerTopic, payload: Uint8Array): Promise<Problem | null> {
    try {
      const { broker, mayActFor } = this.#options
      const by = client.id || null
      if (topic.name === 'consumer/response') {
        const { id, deliveryStatus } = readAcknowledgement(payload)
        await broker.acknowledge(topic.id, id, deliveryStatus ?? 'DELIVERED', by)
        return null
      }
      checkDeviceId(topic.id)
      const order = orderOf(topic.id, readMessage(payload), by)
      if (!mayBeTold(mayActFor, client, order.birth.producerId)) {
        return problem(403, 'The birth certificate names another producer.')
      }
      await broker.enqueue(order)
      return null
    } catch (error) {
      const known = this.#options.explain(error)
      if (known) return known
      this.#options.log.error({ err: error, clientId: client.id }, 'unexpected error')
      return problem(500, 'This should not have happened. The cause is in the server log.')
    }
  }
}
