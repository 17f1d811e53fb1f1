/** /consumer: lets a device fetch its oldest pending command, acknowledge it, and ask for a pause. */

import { OtherClient } from '../../src/auth/errors.ts'
import type { Grant } from '../../src/auth/grant.ts'
import { clientIdOf } from '../../src/auth/queue-access.ts'
import type { DispatchedMessage, UsesOwn } from '../../src/services.ts'
import { Endpoint, RawJson, Reply } from '../../src/web/endpoint.ts'
import { type Static, Tolerated, Type } from '../../src/web/schema.ts'
import { AcknowledgementPayload, acknowledgedId, pauseOf, toReport } from '../../src/wire/acknowledgement.ts'
import { STORAGE_ERRORS } from '../../src/wire/errors.ts'
import { DeviceId, NOT_OWN_QUEUE } from '../../src/wire/messages.ts'
import { deliveredMessage } from '../../src/wire/results.ts'
import { grantOf, renewedGrant } from '../_access.ts'
import { BodyDetails, DetailsQuery, wantsDetails } from '../_details.ts'
import { AcknowledgementResult, ConsumerMessage } from '../_schemas.ts'
import { LIMITED_HEADER, limitedReply, toWaitMs, WaitSeconds } from '../_waits.ts'

export const tag = { name: 'Consumer', description: 'The queue of a device, over REST' }

type PollQuery = Static<typeof PollQuery>
const PollQuery = Type.Object({ ...DetailsQuery.properties, wait: WaitSeconds })

class Consumer extends Endpoint<UsesOwn<'queues' | 'canActFor' | 'pollWaits' | 'access' | 'held'>> {
  /** @throws {OtherClient} */
  protected checkAccess(deviceId: string, grant: Grant = grantOf(this.call)): void {
    if (!this.services.canActFor(grant, deviceId)) throw new OtherClient(NOT_OWN_QUEUE)
  }
}

export class GetLastMessage extends Consumer {
  static access = ['DEVISE', 'MAN']
  static positionals = { GET: [DeviceId], HEAD: [DeviceId] }
  static keywords = { GET: PollQuery }
  static operationId = { GET: 'getLastMessage', HEAD: 'checkQueueAccess' }
  static summary = {
    GET: 'Fetch the oldest pending command of a device',
    HEAD: 'Check access without fetching a command',
  }
  static responses = {
    GET: Type.Array(ConsumerMessage, { maxItems: 1 }),
    HEAD: { 200: null },
  }
  static replyHeaders = { GET: LIMITED_HEADER }
  static errors = { GET: ['other-client', ...STORAGE_ERRORS], HEAD: ['other-client'] }

  GET(deviceId: string, { details = false, wait = null }: PollQuery) {
    this.checkAccess(deviceId)
    const { queues } = this.services
    const shows = details || queues.deviceSettings.of(deviceId).details === true
    if (wait !== null) return this.#wait(deviceId, wait, shows)
    const message = queues.poll(deviceId)
    return message instanceof Promise
      ? message.then((found) => this.#answerLater(found, shows))
      : this.#answer(message, shows)
  }

  /**
   * Answers a poll after an asynchronous read. A NO message is taken, so no later poll would get it; any other message
   * stays.
   */
  #answerLater(message: DispatchedMessage | null, details: boolean) {
    if (message?.guarantee !== 'NO') renewedGrant(this.services.access, grantOf(this.call))
    return this.#answer(message, details)
  }

  async #wait(deviceId: string, seconds: number, details: boolean) {
    const { pollWaits, canActFor, access, held } = this.services
    const grant = grantOf(this.call)
    const hold = held.by(grant, 'wait', () => canActFor(grant, deviceId))
    const waited = await pollWaits.wait(deviceId, toWaitMs(seconds), this.call.signal, hold)
    const { message, onSent, isLimited } = waited
    if (waited.hasEnded) this.checkAccess(deviceId, renewedGrant(access, grant))
    if (message === null) return isLimited ? limitedReply([]) : []
    const body = new RawJson(`[${deliveredMessage(message, details)}]`)
    return onSent ? new Reply(200, body, { onSent }) : body
  }

  #answer(message: DispatchedMessage | null, details: boolean) {
    if (message === null) return []
    const body = new RawJson(`[${deliveredMessage(message, details)}]`)
    // Only NO messages are lost if the connection breaks. The callback costs time, so register it for those alone.
    if (message.guarantee !== 'NO') return body
    const onSent = (sent: boolean): void => {
      if (!sent) void this.services.queues.sendFailed(message.id)
    }
    return new Reply(200, body, { onSent })
  }

  /** Dispatches nothing, because HEAD has no body for the message. The handler of GET would dispatch it. */
  HEAD(deviceId: string) {
    this.checkAccess(deviceId)
    return []
  }
}

type RequestBody = AcknowledgementPayload & { readonly details?: unknown }
const RequestBody = Type.Object(
  { ...AcknowledgementPayload.properties, details: Tolerated(BodyDetails) },
  {
    title: AcknowledgementPayload.title as string,
    examples: [{ id: 42, deliveryStatus: 'COMPLETED', result: { litres: 12 } }],
    // For the API description alone: `acknowledgedId` checks this.
    allOf: [
      {
        anyOf: [
          { required: ['id'] },
          {
            required: ['busySeconds'],
            properties: { busySeconds: { type: 'integer' }, deliveryStatus: { type: 'null' } },
          },
        ],
      },
    ],
  },
)

export class Request extends Consumer {
  static access = ['DEVISE', 'MAN']
  static positionals = { POST: [DeviceId] }
  static keywords = { POST: RequestBody }
  static operationId = { POST: 'acknowledgeMessage' }
  static summary = 'Acknowledge a command with its status, or ask for a pause'
  static responses = { POST: AcknowledgementResult }
  static errors = { POST: ['other-client', 'unknown-message', 'status-conflict', ...STORAGE_ERRORS] }

  async POST(deviceId: string, { details, ...acknowledgement }: RequestBody) {
    const { deliveryStatus } = acknowledgement
    this.checkAccess(deviceId)
    const messageId = await this.#idOf(deviceId, acknowledgement)
    const { queues } = this.services
    // The pause comes first, so that the acknowledgement triggers no further dispatch.
    const by = clientIdOf(this.call.identity)
    const seconds = pauseOf(acknowledgement)
    const pause = seconds === null ? null : { busyUntilDate: await queues.setBusy(deviceId, seconds, by) }
    if (messageId === null) return pause
    const report = toReport(acknowledgement)
    const status = await queues.acknowledge(deviceId, messageId, deliveryStatus ?? 'DELIVERED', by, report)
    const acknowledged = { deliveryStatus: status }
    if (pause === null && report === null) return acknowledged
    const dropped = report?.resultDropped && wantsDetails(details) && { resultDropped: true }
    return { ...acknowledged, ...pause, ...dropped }
  }

  async #idOf(deviceId: string, payload: AcknowledgementPayload): Promise<number | null> {
    try {
      return acknowledgedId(payload)
    } catch (error) {
      await this.onRefusal(error, deviceId)
      throw error
    }
  }

  /** Records an unusable answer of a device. */
  override async onRefusal(error: unknown, deviceId: string): Promise<void> {
    this.checkAccess(deviceId)
    await this.services.queues.refuseAnswer(
      deviceId,
      (error as Error).message,
      clientIdOf(this.call.identity),
    )
  }
}
