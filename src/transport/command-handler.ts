/**
 * Handles the messages that clients publish to the broker, for every transport: commands, cancellations and
 * acknowledgements.
 */
import { actorOf } from '../audit/actor.ts'
import { OtherClient } from '../auth/errors.ts'
import { type CanActFor, type Client, canReceiveResults, ownMessages } from '../auth/queue-access.ts'
import type { Broker } from '../broker/engine/broker.ts'
import type { Submitted } from '../broker/engine/submissions.ts'
import type { Submission } from '../broker/vocabulary/message.ts'
import { NO_TERMS } from '../broker/vocabulary/term-table.ts'
import type { Log } from '../process/log.ts'
import {
  AcknowledgementPayload,
  acknowledgedId,
  brokenMembers,
  checkSize,
  isPartial,
  MAX_RESULT_BYTES,
  pauseOf,
  toReport,
} from '../wire/acknowledgement.ts'
import {
  CancelPayload,
  checkCancel,
  checkDeviceId,
  NOT_OWN_QUEUE,
  OTHER_PRODUCER,
  type Problem,
  ProducerMessage,
  payloadParser,
  problem,
  toSubmission,
} from '../wire/messages.ts'

export interface CommandHandlerOptions {
  readonly broker: Pick<
    Broker,
    'enqueue' | 'acknowledge' | 'refuseAnswer' | 'setBusy' | 'cancel' | 'cancelAll'
  >
  readonly canActFor: CanActFor
  /** Sends the result of a repeated submit to its producer once more. */
  readonly notifyAgain: (submission: Submission, submitted: Submitted) => Promise<void>
  /** Returns the problem that a client receives for an error; null for an unexpected error. */
  readonly explain: (error: unknown) => Problem | null
  readonly log: Pick<Log, 'error'>
  /** Maximum bytes of a payload; see {@link checkSize}. */
  readonly payloadLimit: number
}

/** Outcome of a message to the broker: null for success, a problem for a refusal. */
export type CommandOutcome = Problem | DroppedParts | null

/** Acknowledgement that counts although parts of it were dropped. */
export class DroppedParts {
  readonly deviceId: string
  readonly why: Problem

  /** @param broken names of the unreadable members; empty if the result is too large */
  constructor(deviceId: string, messageId: number, broken: readonly string[]) {
    const tooLarge = `The result of message ${messageId} was dropped, and its status was stored. Send at most ${MAX_RESULT_BYTES} bytes.`
    const unreadable = `The acknowledgement of message ${messageId} was stored without ${broken.join(', ')}, which cannot be read. Send valid JSON in UTF-8.`
    this.deviceId = deviceId
    this.why = broken.length > 0 ? problem(400, unreadable) : problem(413, tooLarge)
  }
}

const parseMessage = payloadParser(ProducerMessage)
const parseAcknowledgement = payloadParser(AcknowledgementPayload)
const parseCancellation = payloadParser(CancelPayload)

/**
 * Parses, authorizes and executes messages to the broker in the order of the calls. The methods never reject: they
 * resolve to null once the change is durable, and to the problem if it is refused.
 */
export class CommandHandler {
  readonly #options: CommandHandlerOptions

  constructor(options: CommandHandlerOptions) {
    this.#options = options
  }

  /**
   * Enqueues a command for a device.
   *
   * @param payload JSON, as in the body of PUT /producer/request
   * @param validSeconds validity from outside the payload, which applies if the payload has none
   */
  submit(
    client: Client,
    deviceId: string,
    payload: Uint8Array,
    validSeconds: number | null = null,
  ): Promise<CommandOutcome> {
    const { canActFor } = this.#options
    try {
      checkDeviceId(deviceId)
      const submission = toSubmission(deviceId, parseMessage(payload), client.id || null)
      if (!canReceiveResults(canActFor, client, submission.replyTo?.producerId ?? null)) {
        throw new OtherClient(OTHER_PRODUCER)
      }
      return this.#outcome(client, this.#enqueue(client, withValidity(submission, validSeconds)))
    } catch (error) {
      return Promise.resolve(this.#explain(client, error))
    }
  }

  #enqueue(client: Client, submission: Submission): Promise<unknown> {
    const { broker, notifyAgain } = this.#options
    const mayReplace = submission.replaces ? ownMessages(client) : null
    const submitted = broker.enqueue(submission, mayReplace)
    if (!submission.idempotency) return submitted
    return submitted.then((result) => (result.replayed ? notifyAgain(submission, result) : null))
  }

  /**
   * Cancels one message of a device, or all messages that the client may cancel.
   *
   * @param payload JSON with `id`, `command`, `force`
   * @param remote address of the client, for the audit trail
   */
  cancel(client: Client, deviceId: string, payload: Uint8Array, remote: string): Promise<CommandOutcome> {
    try {
      checkDeviceId(deviceId)
      const cancellation = parseCancellation(payload)
      checkCancel(cancellation)
      return this.#outcome(client, this.#cancel(client, deviceId, cancellation, remote))
    } catch (error) {
      return Promise.resolve(this.#explain(client, error))
    }
  }

  #cancel(
    client: Client,
    deviceId: string,
    { id, command, force }: CancelPayload,
    remote: string,
  ): Promise<unknown> {
    const { broker } = this.#options
    const by = actorOf({ identity: client, remote })
    const isOwn = ownMessages(client)
    if (id) {
      return broker.cancel(id, {
        by,
        force: force ?? false,
        mayAct: (parties) => parties.deviceId === deviceId && (isOwn === null || isOwn(parties)),
      })
    }
    const senderId = isOwn === null ? undefined : by.clientId
    const filter = { senderId, command: command ?? undefined, force: force ?? false }
    return broker.cancelAll(deviceId, filter, by)
  }

  /**
   * Sets the status that a device reports, and its pause. @param payload JSON, as in the body of POST /consumer/request
   */
  acknowledge(client: Client, deviceId: string, payload: Uint8Array): Promise<CommandOutcome> {
    const { canActFor } = this.#options
    if (!canActFor(client, deviceId)) {
      return Promise.resolve(this.#explain(client, new OtherClient(NOT_OWN_QUEUE)))
    }
    try {
      checkSize(payload, this.#options.payloadLimit)
      const reported = parseAcknowledgement(payload)
      const id = acknowledgedId(reported)
      const pause = pauseOf(reported)
      const done =
        pause === null
          ? this.#acknowledge(client, deviceId, id as number, reported)
          : this.#pause(client, deviceId, id, reported, pause)
      return this.#outcome(client, done)
    } catch (error) {
      return this.#outcome(client, this.#refuseAnswer(client, deviceId, error))
    }
  }

  /** Begins the pause first, so that the acknowledgement triggers no further dispatch. */
  async #pause(
    client: Client,
    deviceId: string,
    id: number | null,
    reported: AcknowledgementPayload,
    seconds: number,
  ): Promise<unknown> {
    await this.#options.broker.setBusy(deviceId, seconds, client.id || null)
    return id === null ? null : this.#acknowledge(client, deviceId, id, reported)
  }

  /** Records an unusable answer of a device. @throws the reason; an error of the storage, if the record failed */
  async #refuseAnswer(client: Client, deviceId: string, error: unknown): Promise<never> {
    await this.#options.broker.refuseAnswer(deviceId, (error as Error).message, client.id || null)
    throw error
  }

  #acknowledge(
    client: Client,
    deviceId: string,
    id: number,
    reported: AcknowledgementPayload,
  ): Promise<unknown> {
    const report = toReport(reported)
    const status = reported.deliveryStatus ?? 'DELIVERED'
    const done = this.#options.broker.acknowledge(deviceId, id, status, client.id || null, report)
    if (!isPartial(reported, report)) return done
    return done.then(() => new DroppedParts(deviceId, id, brokenMembers(reported)))
  }

  #outcome(client: Client, result: Promise<unknown>): Promise<CommandOutcome> {
    return result.then(toOutcome, (error) => this.#explain(client, error))
  }

  #explain(client: Client, error: unknown): Problem {
    const known = this.#options.explain(error)
    if (known) return known
    this.#options.log.error({ err: error, clientId: client.id }, 'unexpected error')
    return problem(500, 'This should not have happened. The cause is in the server log.')
  }
}

/** Adds a validity to a submission without one. An idempotency key does not cover this validity. */
function withValidity(submission: Submission, validSeconds: number | null): Submission {
  const { terms } = submission
  if (validSeconds === null || (terms?.validSeconds ?? null) !== null) return submission
  return { ...submission, terms: { ...(terms ?? NO_TERMS), validSeconds } }
}

function toOutcome(result: unknown): DroppedParts | null {
  return result instanceof DroppedParts ? result : null
}
