/** /producer: sends commands to devices and shows their status. */
import { canReceiveResults } from '../src/auth/queue-access.ts'
import type { Uses } from '../src/services.ts'
import { Endpoint, HttpError } from '../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../src/wire/errors.ts'
import { DeviceId, MessageId, OTHER_PRODUCER, ProducerMessage, toSubmission } from '../src/wire.ts'
import { OtherQueue, ProducerMessageResult, StatusResult } from './_schemas.ts'

export const tag = { name: 'Producer', description: 'Commands to devices, and their status' }

export class Request extends Endpoint<Uses<'broker' | 'canActFor'>> {
  static access = 'any'
  static positionals = { PUT: [DeviceId] }
  static keywords = { PUT: ProducerMessage }
  static operationId = { PUT: 'sendCommand' }
  static summary = 'Send a command to a device'
  static responses = { PUT: { 200: ProducerMessageResult, 403: OtherQueue } }
  static errors = { PUT: ['queue-full', ...STORAGE_ERRORS] }

  async PUT(
    deviceId: string,
    { command, believerGuarantee, data, messageBirthCertificate }: ProducerMessage,
  ) {
    const { identity } = this.call
    const message = { command, believerGuarantee, data, messageBirthCertificate }
    const submission = toSubmission(deviceId, message, identity?.id || null)
    if (!canReceiveResults(this.services.canActFor, identity, submission.replyTo?.producerId ?? null)) {
      throw new HttpError(403, OTHER_PRODUCER)
    }
    const id = await this.services.broker.enqueue(submission)
    return { id, tmpId: submission.replyTo?.correlationId ?? null, deliveryStatus: 'NOT_DELIVERED' }
  }
}

export class GetMessageStatus extends Endpoint<Uses<'broker'>> {
  static access = 'any'
  static positionals = { GET: [MessageId] }
  static operationId = { GET: 'getMessageStatus' }
  static summary = 'Show the status of a command'
  static responses = { GET: StatusResult }
  static errors = { GET: ['unknown-message', ...STORAGE_ERRORS] }

  async GET(messageId: number) {
    return { deliveryStatus: await this.services.broker.status(messageId) }
  }
}
