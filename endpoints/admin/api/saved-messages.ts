/** /admin/api/saved-messages: manages message templates, each for one device or for any device, and sends them. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { NewTemplate } from '../../../src/broker/engine/templates.ts'
import { templateTermsOf } from '../../../src/broker/vocabulary/term-table.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, HttpError, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { idempotencyKeyOf, idempotencyOf } from '../../../src/wire/idempotency.ts'
import { DetailsQuery, wantsDetails, withQueueState } from '../../_details.ts'
import { ProducerMessageResult } from '../../_schemas.ts'
import { KEY_HEADER, REPLAYED_HEADER, submitAnswer } from '../../_submit.ts'
import { LOCATION_HEADER, TemplateAnswer } from './_answers.ts'
import {
  Id,
  NewTemplateBody,
  SendOptions,
  TemplateQuery,
  TemplateSendOptions,
  toTemplateAnswer,
  toTemplateAnswers,
} from './_schemas.ts'
import { SentLinesAnswer, toSentLines } from './_sent-lines.ts'

function toNewTemplate({
  clientId,
  description,
  command,
  deliveryGuarantee,
  data,
  ...terms
}: NewTemplateBody): NewTemplate {
  return {
    clientId,
    description: description ?? '',
    command,
    guarantee: deliveryGuarantee ?? 'NO',
    data: data?.text ?? '{}',
    ...templateTermsOf(terms),
  }
}

function noDevice(id: number): HttpError {
  const text = `Template ${id} is for any device. Name the devices: POST /admin/api/saved-messages/${id}/sendToDevices.`
  return new HttpError(400, text, { code: 'bad-keyword', params: { name: 'deviceIds' } })
}

export const tag = {
  name: 'Templates',
  description: 'Templates of messages, each for one device or for any device',
}

export class Default extends Endpoint<UsesOwn<'templates'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN' }
  static keywords = { GET: TemplateQuery, POST: NewTemplateBody }
  static operationId = { GET: 'listTemplates', POST: 'createTemplate' }
  static summary = {
    GET: 'List templates, newest first',
    POST: 'Create a template of a message',
  }
  static responses = { GET: Type.Array(TemplateAnswer), POST: { 201: TemplateAnswer } }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = {
    GET: STORAGE_ERRORS,
    POST: ['bad-terms', 'unknown-client', 'no-device', ...STORAGE_ERRORS],
  }

  async GET({ clientId, deviseId: deviceId, details }: TemplateQuery) {
    const all = await this.services.templates.list({ clientId, deviceId })
    // The first release knows no template without a device.
    return toTemplateAnswers(details ? all : all.filter((each) => each.clientId !== null), details)
  }

  async POST({ ...body }: NewTemplateBody) {
    const template = await this.services.templates.create(toNewTemplate(body), actorOf(this.call))
    const location = `/admin/api/saved-messages/${template.id}`
    return new Reply(201, toTemplateAnswer(template, wantsDetails(body.details)), { headers: { location } })
  }
}

export class Template extends Endpoint<UsesOwn<'templates'>> {
  static access = { GET: ['MAN', 'READER'], PUT: 'MAN', DELETE: 'MAN' }
  static segment = false
  static positionals = { GET: [Id], PUT: [Id], DELETE: [Id] }
  static keywords = { GET: DetailsQuery, PUT: NewTemplateBody }
  static operationId = { GET: 'getTemplate', PUT: 'replaceTemplate', DELETE: 'deleteTemplate' }
  static summary = {
    GET: 'Show a template',
    PUT: 'Replace a template; omitted members get their defaults',
    DELETE: 'Delete a template',
  }
  static responses = { GET: TemplateAnswer, PUT: TemplateAnswer, DELETE: { 204: null } }
  static errors = {
    GET: ['unknown-template', ...STORAGE_ERRORS],
    PUT: ['unknown-template', 'bad-terms', 'unknown-client', 'no-device', ...STORAGE_ERRORS],
    DELETE: ['unknown-template', ...STORAGE_ERRORS],
  }

  async GET(id: number, { details }: DetailsQuery) {
    return toTemplateAnswer(await this.services.templates.get(id), details)
  }

  async PUT(id: number, { ...body }: NewTemplateBody) {
    const template = await this.services.templates.replace(id, toNewTemplate(body), actorOf(this.call))
    return toTemplateAnswer(template, wantsDetails(body.details))
  }

  async DELETE(id: number) {
    await this.services.templates.remove(id, actorOf(this.call))
  }
}

export class Send extends Endpoint<UsesOwn<'templates'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: SendOptions }
  static headers = [KEY_HEADER]
  static operationId = { POST: 'sendTemplate' }
  static summary = 'Send the message of a template to its device'
  static responses = { POST: ProducerMessageResult }
  static replyHeaders = { POST: REPLAYED_HEADER }
  static errors = {
    POST: ['unknown-template', 'key-reused', 'queue-full', 'too-large-for-device', ...STORAGE_ERRORS],
  }

  async POST(id: number, { idempotencyKey, details }: SendOptions) {
    const key = idempotencyKeyOf(this.call.headers[KEY_HEADER], idempotencyKey)
    const { templates } = this.services
    if ((await templates.get(id)).deviceId === null) throw noDevice(id)
    const idempotency = idempotencyOf(key, ['send template', id])
    try {
      const submitted = await templates.send(id, actorOf(this.call), idempotency)
      return submitAnswer(submitted, null)
    } catch (error) {
      throw withQueueState(error, details)
    }
  }
}

export class SendToDevices extends Endpoint<UsesOwn<'templates'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: TemplateSendOptions }
  static headers = [KEY_HEADER]
  static operationId = { POST: 'sendTemplateToDevices' }
  static summary = 'Send the message of a template for any device to some devices'
  static responses = { POST: SentLinesAnswer }
  static errors = { POST: ['unknown-template', 'key-reused', ...STORAGE_ERRORS] }

  async POST(id: number, { deviceIds, idempotencyKey }: TemplateSendOptions) {
    const key = idempotencyKeyOf(this.call.headers[KEY_HEADER], idempotencyKey)
    const { templates } = this.services
    return toSentLines(await templates.sendToDevices(id, deviceIds, actorOf(this.call), key))
  }
}
