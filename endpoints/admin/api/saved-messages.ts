/** /admin/api/saved-messages: manages message templates, each for one device, and sends them. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { ProducerMessageResult } from '../../_schemas.ts'
import { LOCATION_HEADER, TemplateAnswer } from './_answers.ts'
import { Id, NewTemplateBody, TemplateQuery, toTemplateAnswer, toTemplateAnswers } from './_schemas.ts'

export class Default extends Endpoint<Uses<'templates'>> {
  static access = 'MAN'
  static positionals = { GET: [Id], DELETE: [Id] }
  static keywords = { GET: TemplateQuery, POST: NewTemplateBody }
  static summary = {
    GET: 'List templates, newest first, or show one',
    POST: 'Create a template of a message for a device',
    DELETE: 'Delete a template',
  }
  static responses = {
    GET: Type.Union([Type.Array(TemplateAnswer), TemplateAnswer]),
    POST: { 201: TemplateAnswer },
    DELETE: { 204: null },
  }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = {
    GET: ['unknown-template', ...STORAGE_ERRORS],
    POST: ['unknown-client', 'no-device', ...STORAGE_ERRORS],
    DELETE: ['unknown-template', ...STORAGE_ERRORS],
  }

  async GET(id: number | null = null, { clientId, deviseId: deviceId }: TemplateQuery) {
    const { templates } = this.services
    if (id !== null) return toTemplateAnswer(await templates.get(id))
    return toTemplateAnswers(await templates.list({ clientId, deviceId }))
  }

  async POST({ clientId, description, command, deliveryGuarantee, data }: NewTemplateBody) {
    const template = await this.services.templates.create({
      clientId,
      description: description ?? '',
      command,
      guarantee: deliveryGuarantee ?? 'NO',
      data: data?.text ?? '{}',
    })
    const location = `/admin/api/saved-messages/${template.id}`
    return new Reply(201, toTemplateAnswer(template), { headers: { location } })
  }

  async DELETE(id: number) {
    await this.services.templates.remove(id)
  }
}

export class Send extends Endpoint<Uses<'templates'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static summary = 'Send the message of a template to its device'
  static responses = { POST: ProducerMessageResult }
  static errors = { POST: ['unknown-template', 'queue-full', ...STORAGE_ERRORS] }

  async POST(id: number) {
    const messageId = await this.services.templates.send(id, this.call.identity?.id || null)
    return { id: messageId, tmpId: null, deliveryStatus: 'NOT_DELIVERED' }
  }
}
