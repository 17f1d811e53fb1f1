/** /consumer: a device fetches its oldest command and reports what it did with it. */
import type { Uses } from '../src/services.ts'
import { Endpoint, HttpError, JsonText, Reply } from '../src/web/endpoint.ts'
import { Acknowledgement, DeviceId, deliveredMessage } from '../src/wire.ts'

class Consumer extends Endpoint<Uses<'broker' | 'mayActFor'>> {
  /** @throws {HttpError} 403 */
  protected checkMayActFor(deviceId: string): void {
    if (!this.services.mayActFor(this.call.identity, deviceId)) throw new HttpError(403, 'Not its own queue.')
  }
}

export class GetLastMessage extends Consumer {
  static access = 'any'
  static positionals = { GET: [DeviceId], HEAD: [DeviceId] }

  async GET(deviceId: string) {
    this.checkMayActFor(deviceId)
    const { broker } = this.services
    const message = await broker.next(deviceId)
    if (message === null) return []
    const settled = (sent: boolean): void => {
      if (!sent) void broker.handOverFailed(message)
    }
    return new Reply(200, new JsonText(`[${deliveredMessage(message).text}]`), { settled })
  }

  /** Answered apart from GET, which would hand over a message that HEAD has no body for. */
  HEAD(deviceId: string) {
    this.checkMayActFor(deviceId)
    return []
  }
}

export class Request extends Consumer {
  static access = 'any'
  static positionals = { POST: [DeviceId] }
  static keywords = { POST: Acknowledgement }

  async POST(deviceId: string, { id, deliveryStatus: status }: Acknowledgement) {
    this.checkMayActFor(deviceId)
    const by = this.call.identity?.id || null
    const now = await this.services.broker.acknowledge(deviceId, id, status ?? 'DELIVERED', by)
    return { deliveryStatus: now }
  }
}
