/** /admin/api/saved-messages: manages message templates, each for one device, and sends them. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
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
  toTemplateAnswer,
  toTemplateAnswers,
} from './_schemas.ts'

export const tag = { name: 'Templates', description: 'Templates of messages, each for one device' }

export class Default extends Endpoint<UsesOwn<'templates'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN' }
  static keywords = { GET: TemplateQuery, POST: NewTemplateBody }
  static operationId = { GET: 'listTemplates', POST: 'createTemplate' }
  static summary = {
    GET: 'List templates, newest first',
    POST: 'Create a template of a message for a device',
  }
  static responses = { GET: Type.Array(TemplateAnswer), POST: { 201: TemplateAnswer } }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = {
    GET: STORAGE_ERRORS,
    POST: ['bad-terms', 'unknown-client', 'no-device', ...STORAGE_ERRORS],
  }

  async GET({ clientId, deviseId: deviceId, details }: TemplateQuery) {
    return toTemplateAnswers(await this.services.templates.list({ clientId, deviceId }), details)
  }

  async POST({
    clientId,
    description,
    command,
    deliveryGuarantee,
    data,
    validSeconds = null,
    finishSeconds = null,
    maxAttempts = null,
    details,
  }: NewTemplateBody) {
    const created = {
      clientId,
      description: description ?? '',
      command,
      guarantee: deliveryGuarantee ?? 'NO',
      data: data?.text ?? '{}',
      ...{ validSeconds, finishSeconds, maxAttempts },
    }
    const template = await this.services.templates.create(created, actorOf(this.call))
    const location = `/admin/api/saved-messages/${template.id}`
    return new Reply(201, toTemplateAnswer(template, wantsDetails(details)), { headers: { location } })
  }
}

export class Template extends Endpoint<UsesOwn<'templates'>> {
  static access = { GET: ['MAN', 'READER'], DELETE: 'MAN' }
  static segment = false
  static positionals = { GET: [Id], DELETE: [Id] }
  static keywords = { GET: DetailsQuery }
  static operationId = { GET: 'getTemplate', DELETE: 'deleteTemplate' }
  static summary = { GET: 'Show a template', DELETE: 'Delete a template' }
  static responses = { GET: TemplateAnswer, DELETE: { 204: null } }
  static errors = {
    GET: ['unknown-template', ...STORAGE_ERRORS],
    DELETE: ['unknown-template', ...STORAGE_ERRORS],
  }

  async GET(id: number, { details }: DetailsQuery) {
    return toTemplateAnswer(await this.services.templates.get(id), details)
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
  static errors = { POST: ['unknown-template', 'key-reused', 'queue-full', ...STORAGE_ERRORS] }

  async POST(id: number, { idempotencyKey, details }: SendOptions) {
    const key = idempotencyKeyOf(this.call.headers[KEY_HEADER], idempotencyKey)
    const idempotency = idempotencyOf(key, ['send template', id])
    try {
      const submitted = await this.services.templates.send(id, actorOf(this.call), idempotency)
      return submitAnswer(submitted, null)
    } catch (error) {
      throw withQueueState(error, details)
    }
  }
}
