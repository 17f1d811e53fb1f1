/** /admin/api/saved-messages: manages message templates, each for one device, and sends them. */
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { ProducerMessageResult } from '../../_schemas.ts'
import { LOCATION_HEADER, TemplateAnswer } from './_answers.ts'
import { Id, NewTemplateBody, TemplateQuery, toTemplateAnswer, toTemplateAnswers } from './_schemas.ts'

export const tag = { name: 'Templates', description: 'Templates of messages, each for one device' }

export class Default extends Endpoint<UsesOwn<'templates'>> {
  static access = 'MAN'
  static keywords = { GET: TemplateQuery, POST: NewTemplateBody }
  static operationId = { GET: 'listTemplates', POST: 'createTemplate' }
  static summary = {
    GET: 'List templates, newest first',
    POST: 'Create a template of a message for a device',
  }
  static responses = { GET: Type.Array(TemplateAnswer), POST: { 201: TemplateAnswer } }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = { GET: STORAGE_ERRORS, POST: ['unknown-client', 'no-device', ...STORAGE_ERRORS] }

  async GET({ clientId, deviseId: deviceId }: TemplateQuery) {
    return toTemplateAnswers(await this.services.templates.list({ clientId, deviceId }))
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
}

export class Template extends Endpoint<UsesOwn<'templates'>> {
  static access = 'MAN'
  static segment = false
  static positionals = { GET: [Id], DELETE: [Id] }
  static operationId = { GET: 'getTemplate', DELETE: 'deleteTemplate' }
  static summary = { GET: 'Show a template', DELETE: 'Delete a template' }
  static responses = { GET: TemplateAnswer, DELETE: { 204: null } }
  static errors = {
    GET: ['unknown-template', ...STORAGE_ERRORS],
    DELETE: ['unknown-template', ...STORAGE_ERRORS],
  }

  async GET(id: number) {
    return toTemplateAnswer(await this.services.templates.get(id))
  }

  async DELETE(id: number) {
    await this.services.templates.remove(id)
  }
}

export class Send extends Endpoint<UsesOwn<'templates'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static operationId = { POST: 'sendTemplate' }
  static summary = 'Send the message of a template to its device'
  static responses = { POST: ProducerMessageResult }
  static errors = { POST: ['unknown-template', 'queue-full', ...STORAGE_ERRORS] }

  async POST(id: number) {
    const messageId = await this.services.templates.send(id, this.call.identity?.id || null)
    return { id: messageId, tmpId: null, deliveryStatus: 'NOT_DELIVERED' }
  }
}
