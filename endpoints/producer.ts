/** /producer: sends commands to devices and tells what became of them. */
import type { Uses } from '../src/services.ts'
import { Endpoint } from '../src/web/endpoint.ts'
import { DeviceId, MessageId, ProducerMessage } from './_schemas.ts'

export class Request extends Endpoint<Uses<'broker'>> {
  static access = 'any'
  static positionals = { PUT: [DeviceId] }
  static keywords = { PUT: ProducerMessage }

  async PUT(
    deviceId: string,
    { command, believerGuarantee: guarantee, data, messageBirthCertificate: birth }: ProducerMessage,
  ) {
    const tmpId = birth?.tmpId ?? null
    const id = await this.services.broker.enqueue({
      deviceId,
      command,
      guarantee: guarantee ?? 'RECEIPT_CONFIRMATION',
      data: data?.text,
      birth: { tmpId, producerId: birth?.producerDeviseId ?? null },
      senderId: this.call.identity?.id || null,
    })
    return { id, tmpId, deliveryStatus: 'NOT_DELIVERED' }
  }
}

export class GetMessageStatus extends Endpoint<Uses<'broker'>> {
  static access = 'any'
  static positionals = { GET: [MessageId] }

  async GET(messageId: number) {
    return { deliveryStatus: await this.services.broker.status(messageId) }
  }
}
