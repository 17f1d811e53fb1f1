/** /producer: takes commands as the product's class does, without what only some commands have. */
import { Endpoint, Reply } from '../../../build/src/web/endpoint.js'
import { DeviceId, ProducerMessage, toSubmission } from '../../../build/src/wire/messages.js'
import { clientOf } from '../token.js'
import { access } from './_access.js'

export class Request extends Endpoint {
  static access = access.isByFramework ? ['DEVISE', 'MAN'] : 'public'
  static positionals = { PUT: [DeviceId] }
  static keywords = { PUT: ProducerMessage }
  static headers = access.isByFramework ? [] : ['authorization']

  async PUT(deviceId, { command, believerGuarantee, data, messageBirthCertificate }) {
    const { identity, headers } = this.call
    const sender = access.isByFramework ? identity.id : clientOf(headers.authorization)
    if (sender === null) return new Reply(401, { error: 'Unauthorized' })
    const message = { command, believerGuarantee, data, messageBirthCertificate }
    const submission = toSubmission(deviceId, message, sender)
    const { id } = await this.services.broker.enqueue(submission)
    return { id, tmpId: submission.replyTo?.correlationId ?? null, deliveryStatus: 'NOT_DELIVERED' }
  }
}
