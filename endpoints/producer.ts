/** /producer: sends commands to devices and shows their status. */
import { OtherClient } from '../src/auth/errors.ts'
import { canReadStatus, canReceiveResults } from '../src/auth/queue-access.ts'
import type { MessageParties, UsesOwn } from '../src/services.ts'
import { Endpoint } from '../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../src/wire/errors.ts'
import { DeviceId, MessageId, OTHER_PRODUCER, ProducerMessage, toSubmission } from '../src/wire.ts'
import { ProducerMessageResult, StatusResult } from './_schemas.ts'

export const tag = { name: 'Producer', description: 'Commands to devices, and their status' }

export class Request extends Endpoint<UsesOwn<'queues' | 'canActFor'>> {
  static access = 'any'
  static positionals = { PUT: [DeviceId] }
  static keywords = { PUT: ProducerMessage }
  static operationId = { PUT: 'sendCommand' }
  static summary = 'Send a command to a device'
  static responses = { PUT: ProducerMessageResult }
  static errors = { PUT: ['other-client', 'queue-full', ...STORAGE_ERRORS] }

  async PUT(
    deviceId: string,
    { command, believerGuarantee, data, messageBirthCertificate }: ProducerMessage,
  ) {
    const { identity } = this.call
    const message = { command, believerGuarantee, data, messageBirthCertificate }
    const submission = toSubmission(deviceId, message, identity?.id || null)
    if (!canReceiveResults(this.services.canActFor, identity, submission.replyTo?.producerId ?? null)) {
      throw new OtherClient(OTHER_PRODUCER)
    }
    const id = await this.services.queues.enqueue(submission)
    return { id, tmpId: submission.replyTo?.correlationId ?? null, deliveryStatus: 'NOT_DELIVERED' }
  }
}

export class GetMessageStatus extends Endpoint<UsesOwn<'queues' | 'canActFor'>> {
  static access = 'any'
  static positionals = { GET: [MessageId] }
  static operationId = { GET: 'getMessageStatus' }
  static summary = 'Show the status of a command'
  static responses = { GET: StatusResult }
  static errors = { GET: ['unknown-message', ...STORAGE_ERRORS] }

  async GET(messageId: number) {
    const { queues, canActFor } = this.services
    const { identity } = this.call
    const mayRead = (message: MessageParties): boolean => canReadStatus(canActFor, identity, message)
    return { deliveryStatus: await queues.status(messageId, canActFor(identity, null) ? null : mayRead) }
  }
}
