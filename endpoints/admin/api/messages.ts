/** /admin/api/messages: shows messages, cancels pending ones and sends commands again. */
import { stillPending } from '../../../src/broker/errors.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { ProducerMessageResult, StatusResult } from '../../_schemas.ts'
import { MessageAnswer, MessageDetailAnswer } from './_answers.ts'
import { LINK_HEADER, page } from './_paging.ts'
import {
  Id,
  MAX_ROWS,
  MessageQuery,
  ResendOptions,
  toMessageAnswers,
  toMessageDetailAnswer,
} from './_schemas.ts'

export const tag = { name: 'Messages', description: 'Messages of all devices, with their history' }

export class Default extends Endpoint<UsesOwn<'messages'>> {
  static access = 'MAN'
  static keywords = { GET: MessageQuery }
  static operationId = { GET: 'listMessages' }
  static summary = 'List messages, newest first'
  static responses = { GET: Type.Array(MessageAnswer) }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ ...query }: MessageQuery) {
    const { messages } = this.services
    const { deviseId: deviceId, status, command, from: fromMs, to: toMs, before } = query
    const limit = Math.min(query.limit, MAX_ROWS)
    const { items, next } = await messages.list({ deviceId, status, command, fromMs, toMs, before }, limit)
    return page(
      toMessageAnswers(items),
      this.call.path,
      { ...query, limit },
      next === null ? null : { before: next },
    )
  }
}

export class Message extends Endpoint<UsesOwn<'messages'>> {
  static access = 'MAN'
  static segment = false
  static positionals = { GET: [Id] }
  static operationId = { GET: 'getMessage' }
  static summary = 'Show a message with its history'
  static responses = { GET: MessageDetailAnswer }
  static errors = { GET: ['unknown-message', ...STORAGE_ERRORS] }

  async GET(id: number) {
    return toMessageDetailAnswer(await this.services.messages.get(id))
  }
}

export class Cancel extends Endpoint<UsesOwn<'queues'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static operationId = { POST: 'cancelMessage' }
  static summary = 'Cancel a message that was not dispatched'
  static responses = { POST: StatusResult }
  static errors = { POST: ['unknown-message', 'dispatched', 'status-conflict', ...STORAGE_ERRORS] }

  async POST(id: number) {
    return { deliveryStatus: await this.services.queues.cancel(id, this.call.identity?.id || null) }
  }
}

export class Resend extends Endpoint<UsesOwn<'queues' | 'messages'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: ResendOptions }
  static operationId = { POST: 'resendMessage' }
  static summary = 'Send the command of a message again, as a new message without a birth certificate'
  static responses = { POST: ProducerMessageResult }
  static errors = { POST: ['unknown-message', 'still-pending', 'queue-full', ...STORAGE_ERRORS] }

  async POST(id: number, { force }: ResendOptions) {
    const { queues, messages } = this.services
    const { deviceId, command, guarantee, data, status } = (await messages.get(id)).message
    if (status === 'NOT_DELIVERED' && !force) throw stillPending(id)
    const senderId = this.call.identity?.id || null
    const newId = await queues.enqueue({ deviceId, command, guarantee, data, senderId })
    return { id: newId, tmpId: null, deliveryStatus: 'NOT_DELIVERED' }
  }
}
