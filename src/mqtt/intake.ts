/** Takes what clients send to the broker: commands and acknowledgements. Knows neither aedes nor connections. */
import { type CanActFor, type Client, canReceiveResults } from '../auth/queue-access.ts'
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
  readonly canActFor: CanActFor
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
  take(client: Client, topic: BrokerTopic, payload: Uint8Array): Promise<Problem | null> {
    try {
      const taken = this.#take(client, topic, payload)
      if (!(taken instanceof Promise)) return Promise.resolve(taken)
      return taken.then(nothing, (error) => this.#explain(client, error))
    } catch (error) {
      return Promise.resolve(this.#explain(client, error))
    }
  }

  /** @throws what {@link IntakeOptions.explain} knows */
  #take(
    client: Client,
    { name, id: deviceId }: BrokerTopic,
    payload: Uint8Array,
  ): Promise<unknown> | Problem {
    const { broker, canActFor } = this.#options
    const by = client.id || null
    if (name === 'consumer/response') {
      const { id, deliveryStatus } = readAcknowledgement(payload)
      return broker.acknowledge(deviceId, id, deliveryStatus ?? 'DELIVERED', by)
    }
    checkDeviceId(deviceId)
    const order = orderOf(deviceId, readMessage(payload), by)
    if (canReceiveResults(canActFor, client, order.birth.producerId)) return broker.enqueue(order)
    return problem(403, 'The birth certificate names another producer.')
  }

  #explain(client: Client, error: unknown): Problem {
    const known = this.#options.explain(error)
    if (known) return known
    this.#options.log.error({ err: error, clientId: client.id }, 'unexpected error')
    return problem(500, 'This should not have happened. The cause is in the server log.')
  }
}

function nothing(): null {
  return null
}
