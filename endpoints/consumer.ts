/** /consumer: a device fetches its oldest command and reports what it did with it. */
import type { Uses } from '../src/services.ts'
import { Endpoint, JsonText, Reply } from '../src/web/endpoint.ts'
import { Acknowledgement, DeviceId, deliveredMessage } from './_schemas.ts'

export class GetLastMessage extends Endpoint<Uses<'broker'>> {
  static access = 'any'
  static positionals = { GET: [DeviceId], HEAD: [DeviceId] }

  async GET(deviceId: string) {
    const { broker } = this.services
    const message = await broker.next(deviceId)
    if (message === null) return []
    const settled = (sent: boolean): void => {
      if (!sent) void broker.handOverFailed(message)
    }
    return new Reply(200, new JsonText(`[${deliveredMessage(message).text}]`), { settled })
  }

  /** Answered apart from GET, which would hand over a message that HEAD has no body for. */
  HEAD(_deviceId: string) {
    return []
  }
}

export class Request extends Endpoint<Uses<'broker'>> {
  static access = 'any'
  static positionals = { POST: [DeviceId] }
  static keywords = { POST: Acknowledgement }

  async POST(deviceId: string, { id, deliveryStatus: status }: Acknowledgement) {
    return { deliveryStatus: await this.services.broker.acknowledge(deviceId, id, status ?? 'DELIVERED') }
  }
}
