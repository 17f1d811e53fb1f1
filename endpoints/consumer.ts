/** /consumer: a device fetches its oldest pending command and acknowledges it. */
import type { DispatchedMessage, Uses } from '../src/services.ts'
import { Endpoint, HttpError, RawJson, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'
import { STORAGE_ERRORS } from '../src/wire/errors.ts'
import { AcknowledgementPayload, DeviceId, deliveredMessage, NOT_OWN_QUEUE } from '../src/wire.ts'
import { ConsumerMessage, OtherQueue, StatusResult } from './_schemas.ts'

export const tag = { name: 'Consumer', description: 'The queue of a device, over REST' }

class Consumer extends Endpoint<Uses<'broker' | 'canActFor'>> {
  /** @throws {HttpError} 403 */
  protected checkAccess(deviceId: string): void {
    if (!this.services.canActFor(this.call.identity, deviceId)) throw new HttpError(403, NOT_OWN_QUEUE)
  }
}

export class GetLastMessage extends Consumer {
  static access = 'any'
  static positionals = { GET: [DeviceId], HEAD: [DeviceId] }
  static operationId = { GET: 'getLastMessage', HEAD: 'checkQueueAccess' }
  static summary = {
    GET: 'Fetch the oldest pending command of a device',
    HEAD: 'Check access without fetching a command',
  }
  static responses = {
    GET: { 200: Type.Array(ConsumerMessage, { maxItems: 1 }), 403: OtherQueue },
    HEAD: { 200: null, 403: OtherQueue },
  }
  static errors = { GET: STORAGE_ERRORS, HEAD: [] }

  GET(deviceId: string) {
    this.checkAccess(deviceId)
    const message = this.services.broker.poll(deviceId)
    return message instanceof Promise ? message.then((found) => this.#answer(found)) : this.#answer(message)
  }

  #answer(message: DispatchedMessage | null) {
    if (message === null) return []
    const body = new RawJson(`[${deliveredMessage(message)}]`)
    // Only NO messages are lost if the connection breaks. The callback costs time, so register it for those alone.
    if (message.guarantee !== 'NO') return body
    const onSent = (sent: boolean): void => {
      if (!sent) void this.services.broker.sendFailed(message.id)
    }
    return new Reply(200, body, { onSent })
  }

  /** Dispatches nothing, since HEAD has no body for the message. The handler of GET would dispatch it. */
  HEAD(deviceId: string) {
    this.checkAccess(deviceId)
    return []
  }
}

export class Request extends Consumer {
  static access = 'any'
  static positionals = { POST: [DeviceId] }
  static keywords = { POST: AcknowledgementPayload }
  static operationId = { POST: 'acknowledgeMessage' }
  static summary = 'Acknowledge a command with its status'
  static responses = { POST: { 200: StatusResult, 403: OtherQueue } }
  static errors = { POST: ['unknown-message', 'status-conflict', ...STORAGE_ERRORS] }

  async POST(deviceId: string, { id, deliveryStatus: status }: AcknowledgementPayload) {
    this.checkAccess(deviceId)
    const by = this.call.identity?.id || null
    const now = await this.services.broker.acknowledge(deviceId, id, status ?? 'DELIVERED', by)
    return { deliveryStatus: now }
  }
}
