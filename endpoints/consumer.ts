/** /consumer: a device fetches its oldest pending command and acknowledges it. */
import { OtherClient } from '../src/auth/errors.ts'
import type { DispatchedMessage, UsesOwn } from '../src/services.ts'
import { Endpoint, RawJson, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'
import { STORAGE_ERRORS } from '../src/wire/errors.ts'
import { AcknowledgementPayload, DeviceId, deliveredMessage, NOT_OWN_QUEUE } from '../src/wire.ts'
import { ConsumerMessage, StatusResult } from './_schemas.ts'

export const tag = { name: 'Consumer', description: 'The queue of a device, over REST' }

class Consumer extends Endpoint<UsesOwn<'queues' | 'canActFor'>> {
  /** @throws {OtherClient} */
  protected checkAccess(deviceId: string): void {
    if (!this.services.canActFor(this.call.identity, deviceId)) throw new OtherClient(NOT_OWN_QUEUE)
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
    GET: Type.Array(ConsumerMessage, { maxItems: 1 }),
    HEAD: { 200: null },
  }
  static errors = { GET: ['other-client', ...STORAGE_ERRORS], HEAD: ['other-client'] }

  GET(deviceId: string) {
    this.checkAccess(deviceId)
    const message = this.services.queues.poll(deviceId)
    return message instanceof Promise ? message.then((found) => this.#answer(found)) : this.#answer(message)
  }

  #answer(message: DispatchedMessage | null) {
    if (message === null) return []
    const body = new RawJson(`[${deliveredMessage(message)}]`)
    // Only NO messages are lost if the connection breaks. The callback costs time, so register it for those alone.
    if (message.guarantee !== 'NO') return body
    const onSent = (sent: boolean): void => {
      if (!sent) void this.services.queues.sendFailed(message.id)
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
  static responses = { POST: StatusResult }
  static errors = { POST: ['other-client', 'unknown-message', 'status-conflict', ...STORAGE_ERRORS] }

  async POST(deviceId: string, { id, deliveryStatus: status }: AcknowledgementPayload) {
    this.checkAccess(deviceId)
    const by = this.call.identity?.id || null
    const now = await this.services.queues.acknowledge(deviceId, id, status ?? 'DELIVERED', by)
    return { deliveryStatus: now }
  }
}
