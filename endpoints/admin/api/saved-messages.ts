/** /admin/api/saved-messages: message templates, each for one device, and their sending. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE } from '../../../src/wire/errors.ts'
import { ProducerMessageResult } from '../../_schemas.ts'
import { LOCATION, Template } from './_answers.ts'
import { Id, NewTemplate, shownTemplate, shownTemplates, TemplateQuery } from './_schemas.ts'

export class Default extends Endpoint<Uses<'templates'>> {
  static access = 'MAN'
  static positionals = { GET: [Id], DELETE: [Id] }
  static keywords = { GET: TemplateQuery, POST: NewTemplate }
  static summary = {
    GET: 'Lists templates, newest first, or gives one',
    POST: 'Makes a template of a message for a device',
    DELETE: 'Deletes a template',
  }
  static responses = {
    GET: Type.Union([Type.Array(Template), Template]),
    POST: { 201: Template },
    DELETE: { 204: null },
  }
  static replyHeaders = { POST: LOCATION }
  static errors = {
    GET: ['unknown-template', ...STORAGE],
    POST: ['unknown-client', 'no-device', ...STORAGE],
    DELETE: ['unknown-template', ...STORAGE],
  }

  async GET(id: number | null = null, { clientId, deviseId: deviceId }: TemplateQuery) {
    const { templates } = this.services
    if (id !== null) return shownTemplate(await templates.get(id))
    return shownTemplates(await templates.list({ clientId, deviceId }))
  }

  async POST({ clientId, description, command, deliveryGuarantee, data }: NewTemplate) {
    const template = await this.services.templates.create({
      clientId,
      description: description ?? '',
      command,
      guarantee: deliveryGuarantee ?? 'NO',
      data: data?.text ?? '{}',
    })
    const location = `/admin/api/saved-messages/${template.id}`
    return new Reply(201, shownTemplate(template), { headers: { location } })
  }

  async DELETE(id: number) {
    await this.services.templates.remove(id)
  }
}

export class Send extends Endpoint<Uses<'templates'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static summary = "Sends it to its owner's device"
  static responses = { POST: ProducerMessageResult }
  static errors = { POST: ['unknown-template', 'queue-full', ...STORAGE] }

  async POST(id: number) {
    const messageId = await this.services.templates.send(id, this.call.identity?.id || null)
    return { id: messageId, tmpId: null, deliveryStatus: 'NOT_DELIVERED' }
  }
}
