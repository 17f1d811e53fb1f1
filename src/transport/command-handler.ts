/** Handles the commands and acknowledgements of clients, for every transport: parse, authorize, enqueue or acknowledge. */
import { OtherClient } from '../auth/errors.ts'
import { type CanActFor, type Client, canReceiveResults } from '../auth/queue-access.ts'
import type { Broker } from '../broker/broker.ts'
import {
  AcknowledgementPayload,
  checkDeviceId,
  NOT_OWN_QUEUE,
  OTHER_PRODUCER,
  type Problem,
  ProducerMessage,
  payloadParser,
  problem,
  toSubmission,
} from '../wire.ts'

export interface CommandHandlerOptions {
  readonly broker: Pick<Broker, 'enqueue' | 'acknowledge'>
  readonly canActFor: CanActFor
  /** Returns the problem that a client receives for an error; null for an unexpected error. */
  readonly explain: (error: unknown) => Problem | null
  readonly log: { error(fields: object, message: string): void }
}

const parseMessage = payloadParser(ProducerMessage)
const parseAcknowledgement = payloadParser(AcknowledgementPayload)

/**
 * Parses, authorizes and executes commands and acknowledgements in the order of the calls. Both methods never reject: they
 * resolve to null once the change is durable, and to the problem if it is refused.
 */
export class CommandHandler {
  readonly #options: CommandHandlerOptions

  constructor(options: CommandHandlerOptions) {
    this.#options = options
  }

  /** Enqueues a command for a device. @param payload JSON, as in the body of PUT /producer/request */
  submit(client: Client, deviceId: string, payload: Uint8Array): Promise<Problem | null> {
    const { broker, canActFor } = this.#options
    try {
      checkDeviceId(deviceId)
      const message = toSubmission(deviceId, parseMessage(payload), client.id || null)
      if (!canReceiveResults(canActFor, client, message.replyTo?.producerId ?? null)) {
        throw new OtherClient(OTHER_PRODUCER)
      }
      return this.#outcome(client, broker.enqueue(message))
    } catch (error) {
      return Promise.resolve(this.#explain(client, error))
    }
  }

  /** Sets the status that a device reports. @param payload JSON, as in the body of POST /consumer/request */
  acknowledge(client: Client, deviceId: string, payload: Uint8Array): Promise<Problem | null> {
    const { broker, canActFor } = this.#options
    try {
      if (!canActFor(client, deviceId)) throw new OtherClient(NOT_OWN_QUEUE)
      const { id, deliveryStatus } = parseAcknowledgement(payload)
      const status = deliveryStatus ?? 'DELIVERED'
      return this.#outcome(client, broker.acknowledge(deviceId, id, status, client.id || null))
    } catch (error) {
      return Promise.resolve(this.#explain(client, error))
    }
  }

  #outcome(client: Client, result: Promise<unknown>): Promise<Problem | null> {
    return result.then(noProblem, (error) => this.#explain(client, error))
  }

  #explain(client: Client, error: unknown): Problem {
    const known = this.#options.explain(error)
    if (known) return known
    this.#options.log.error({ err: error, clientId: client.id }, 'unexpected error')
    return problem(500, 'This should not have happened. The cause is in the server log.')
  }
}

function noProblem(): null {
  return null
}
