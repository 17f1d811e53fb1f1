/** /producer: sends commands to devices, shows their status, cancels and replays them. */
import { actorOf } from '../../src/audit/actor.ts'
import { OtherClient } from '../../src/auth/errors.ts'
import type { Grant } from '../../src/auth/grant.ts'
import {
  canReadAll,
  canReadStatus,
  canReceiveResults,
  clientIdOf,
  ownMessages,
} from '../../src/auth/queue-access.ts'
import { isEnded, type Status } from '../../src/broker/vocabulary/status.ts'
import type { MessageParties, UsesOwn } from '../../src/services.ts'
import { Endpoint } from '../../src/web/endpoint.ts'
import { Maybe, type Static, Type } from '../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../src/wire/errors.ts'
import { idempotencyKeyOf } from '../../src/wire/idempotency.ts'
import {
  DeliveryStatus,
  DeviceId,
  MessageId,
  OTHER_PRODUCER,
  ProducerMessage,
  toSubmission,
} from '../../src/wire/messages.ts'
import { grantOf, renewedGrant } from '../_access.ts'
import { BodyDetails, DetailsQuery, statusDetails, withQueueState } from '../_details.ts'
import {
  CancelAllBody,
  CancelBody,
  CancelledMessageAnswer,
  CancelledMessagesAnswer,
  MessageStatus,
  ProducerMessageResult,
  StatusResult,
  toCancelledMessage,
  toCancelledMessages,
} from '../_schemas.ts'
import { KEY_HEADER, REPLAYED_HEADER, submitAnswer } from '../_submit.ts'
import { LIMITED_HEADER, limitedReply, toWaitMs, WaitSeconds } from '../_waits.ts'

export const tag = { name: 'Producer', description: 'Commands to devices, and their status' }

type RequestBody = ProducerMessage & { readonly details?: unknown }
const RequestBody = Type.Object(
  { ...ProducerMessage.properties, details: BodyDetails },
  { title: ProducerMessage.title as string },
)

export class Request extends Endpoint<UsesOwn<'queues' | 'canActFor'>> {
  static access = ['DEVISE', 'MAN']
  static positionals = { PUT: [DeviceId] }
  static keywords = { PUT: RequestBody }
  static headers = [KEY_HEADER]
  static operationId = { PUT: 'sendCommand' }
  static summary = 'Send a command to a device'
  static responses = { PUT: ProducerMessageResult }
  static replyHeaders = { PUT: REPLAYED_HEADER }
  static errors = {
    PUT: [
      'bad-terms',
      'other-client',
      'unknown-message',
      'handed-over',
      'key-reused',
      'queue-full',
      'too-large-for-device',
      ...STORAGE_ERRORS,
    ],
  }

  async PUT(deviceId: string, { ...message }: RequestBody) {
    const { identity, headers } = this.call
    const key = idempotencyKeyOf(headers[KEY_HEADER], message.idempotencyKey)
    const submission = toSubmission(deviceId, message, clientIdOf(identity), key)
    if (!canReceiveResults(this.services.canActFor, identity, submission.replyTo?.producerId ?? null)) {
      throw new OtherClient(OTHER_PRODUCER)
    }
    try {
      const submitted = await this.services.queues.enqueue(
        submission,
        message.replaces ? ownMessages(identity) : null,
      )
      return submitAnswer(submitted, submission.replyTo?.correlationId ?? null)
    } catch (error) {
      throw withQueueState(error, message.details)
    }
  }
}

type StatusQuery = Static<typeof StatusQuery>
const StatusQuery = Type.Object({
  ...DetailsQuery.properties,
  wait: WaitSeconds,
  changedFrom: Maybe(DeliveryStatus),
})

export class GetMessageStatus extends Endpoint<
  UsesOwn<'queues' | 'messages' | 'canActFor' | 'statusWaits' | 'access' | 'held'>
> {
  static access = 'any'
  static positionals = { GET: [MessageId] }
  static keywords = { GET: StatusQuery }
  static operationId = { GET: 'getMessageStatus' }
  static summary = 'Show the status of a command'
  static responses = { GET: MessageStatus }
  static replyHeaders = { GET: LIMITED_HEADER }
  static errors = { GET: ['unknown-message', ...STORAGE_ERRORS] }

  async GET(messageId: number, { details, wait = null, changedFrom = null }: StatusQuery) {
    const grant = grantOf(this.call)
    if (wait === null) return this.#answer(messageId, await this.#read(messageId, grant), details)
    const { access, held, statusWaits } = this.services
    const waited = await statusWaits.answer({
      messageId,
      waitMs: toWaitMs(wait),
      signal: this.call.signal,
      hold: held.by(grant, 'wait'),
      read: () => this.#read(messageId, grant),
      isAwaited: (now) => (changedFrom === null ? isEnded(now) : now !== changedFrom),
    })
    const status = waited.hasEnded ? await this.#read(messageId, renewedGrant(access, grant)) : waited.answer
    const answer = await this.#answer(messageId, status, details)
    renewedGrant(access, grant)
    return waited.isLimited ? limitedReply(answer) : answer
  }

  #read(messageId: number, grant: Grant): Promise<Status> {
    const { queues, canActFor } = this.services
    const mayRead = (message: MessageParties): boolean => canReadStatus(canActFor, grant, message)
    return queues.status(messageId, canReadAll(canActFor, grant) ? null : mayRead)
  }

  async #answer(messageId: number, deliveryStatus: Status, details = false) {
    const { messages, canActFor } = this.services
    if (!details) return { deliveryStatus }
    return statusDetails(await messages.get(messageId), canReadAll(canActFor, this.call.identity))
  }
}

export class CancelMessage extends Endpoint<UsesOwn<'queues'>> {
  static access = ['DEVISE', 'MAN']
  static positionals = { POST: [MessageId] }
  static keywords = { POST: CancelBody }
  static operationId = { POST: 'cancelOwnMessage' }
  static summary = 'Cancel a command; with force, also one that its device may have'
  static responses = { POST: CancelledMessageAnswer }
  static errors = { POST: ['unknown-message', 'handed-over', ...STORAGE_ERRORS] }

  async POST(messageId: number, { force }: CancelBody) {
    const mayAct = ownMessages(this.call.identity)
    const options = { by: actorOf(this.call), force: force ?? false, mayAct }
    return toCancelledMessage(await this.services.queues.cancel(messageId, options))
  }
}

export class CancelMessages extends Endpoint<UsesOwn<'queues'>> {
  static access = ['DEVISE', 'MAN']
  static positionals = { POST: [DeviceId] }
  static keywords = { POST: CancelAllBody }
  static operationId = { POST: 'cancelOwnMessages' }
  static summary = 'Cancel all own commands to a device; with role MAN, those of all clients'
  static responses = { POST: CancelledMessagesAnswer }
  static errors = { POST: STORAGE_ERRORS }

  async POST(deviceId: string, { command, force }: CancelAllBody) {
    const by = actorOf(this.call)
    const senderId = ownMessages(this.call.identity) === null ? undefined : by.clientId
    const filter = { senderId, command: command ?? undefined, force: force ?? false }
    return toCancelledMessages(await this.services.queues.cancelAll(deviceId, filter, by))
  }
}

export class ReplayMessage extends Endpoint<UsesOwn<'queues'>> {
  static access = ['DEVISE', 'MAN']
  static positionals = { POST: [MessageId] }
  static keywords = { POST: DetailsQuery }
  static operationId = { POST: 'replayOwnMessage' }
  static summary = 'Return a command that is UNKNOWN to its place in the queue'
  static responses = { POST: StatusResult }
  static errors = {
    POST: ['unknown-message', 'not-unknown', 'expired', 'queue-full', ...STORAGE_ERRORS],
  }

  async POST(messageId: number, { details }: DetailsQuery) {
    const options = { by: actorOf(this.call), mayAct: ownMessages(this.call.identity) }
    try {
      return { deliveryStatus: await this.services.queues.replay(messageId, options) }
    } catch (error) {
      throw withQueueState(error, details)
    }
  }
}
