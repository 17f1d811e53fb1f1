/** /producer: sends commands to devices and tells what became of them. */
import type { Uses } from '../src/services.ts'
import { Endpoint, HttpError } from '../src/web/endpoint.ts'
import { DeviceId, MessageId, ProducerMessage } from './_schemas.ts'

/** What a producer calls itself that wants to be told nowhere in particular. */
const NOBODY = '0'

export class Request extends Endpoint<Uses<'broker' | 'mayActFor'>> {
  static access = 'any'
  static positionals = { PUT: [DeviceId] }
  static keywords = { PUT: ProducerMessage }

  async PUT(
    deviceId: string,
    { command, believerGuarantee: guarantee, data, messageBirthCertificate }: ProducerMessage,
  ) {
    const { tmpId = null, producerDeviseId: producerId = null } = messageBirthCertificate ?? {}
    this.#checkProducer(producerId ?? NOBODY)
    const id = await this.services.broker.enqueue({
      deviceId,
      command,
      guarantee: guarantee ?? 'RECEIPT_CONFIRMATION',
      data: data?.text,
      birth: { tmpId, producerId },
      senderId: this.call.identity?.id || null,
    })
    return { id, tmpId, deliveryStatus: 'NOT_DELIVERED' }
  }

  /** @throws {HttpError} 403 */
  #checkProducer(producerId: string): void {
    if (producerId === NOBODY || this.services.mayActFor(this.call.identity, producerId)) return
    throw new HttpError(403, 'The birth certificate names another producer.')
  }
}

export class GetMessageStatus extends Endpoint<Uses<'broker'>> {
  static access = 'any'
  static positionals = { GET: [MessageId] }

  async GET(messageId: number) {
    return { deliveryStatus: await this.services.broker.status(messageId) }
  }
}
