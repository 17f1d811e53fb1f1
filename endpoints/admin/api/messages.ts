/** /admin/api/messages: shows messages, cancels pending messages, replays parked messages and re-sends commands. */
import { actorOf, entryOf } from '../../../src/audit/actor.ts'
import { stillPending } from '../../../src/broker/vocabulary/errors.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, HttpError } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { idempotencyKeyOf, idempotencyOf } from '../../../src/wire/idempotency.ts'
import { DetailsQuery, withQueueState } from '../../_details.ts'
import { CancelBody, ProducerMessageResult, StatusResult, toCancelledMessage } from '../../_schemas.ts'
import { KEY_HEADER, REPLAYED_HEADER, submitAnswer } from '../../_submit.ts'
import { CancelResult, MessageAnswer, MessageDetailAnswer, ReplayedMessagesAnswer } from './_answers.ts'
import {
  toListedAnswers,
  toMessageAnswers,
  toMessageDetailAnswer,
  toReplayedMessages,
} from './_message-answers.ts'
import { MessageQuery, SEARCHED_TO_HEADER, toMessageSearch } from './_message-filter.ts'
import { LINK_HEADER, page } from './_paging.ts'
import { Id, MAX_ROWS, ReplaySelection, ResendOptions } from './_schemas.ts'

export const tag = { name: 'Messages', description: 'Messages of all devices, with their history' }

export class Default extends Endpoint<UsesOwn<'messages'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: MessageQuery }
  static operationId = { GET: 'listMessages' }
  static summary = 'List messages, newest first'
  static responses = { GET: Type.Array(MessageAnswer) }
  static replyHeaders = { GET: { ...LINK_HEADER, ...SEARCHED_TO_HEADER } }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ ...query }: MessageQuery) {
    const { messages } = this.services
    const { before, details } = query
    const limit = Math.min(query.limit, MAX_ROWS)
    const search = { ...toMessageSearch(query), before }
    const { items, next, searchedToMs } = await messages.list(search, limit, this.call.signal)
    const answer = details ? toListedAnswers(await messages.listed(items)) : toMessageAnswers(items)
    const isShort = items.length < limit && searchedToMs !== null
    const more = next === null ? null : { before: next }
    const headers: Record<string, string> = isShort ? { 'waybill-searched-to': String(searchedToMs) } : {}
    return page(answer, this.call.path, { ...query, limit }, more, headers)
  }
}

export class Message extends Endpoint<UsesOwn<'messages'>> {
  static access = ['MAN', 'READER']
  static segment = false
  static positionals = { GET: [Id] }
  static keywords = { GET: DetailsQuery }
  static operationId = { GET: 'getMessage' }
  static summary = 'Show a message with its history'
  static responses = { GET: MessageDetailAnswer }
  static errors = { GET: ['unknown-message', ...STORAGE_ERRORS] }

  async GET(id: number, { details = false }: DetailsQuery) {
    const { messages } = this.services
    const detail = await messages.get(id)
    return toMessageDetailAnswer(detail, details, details ? await messages.neighbours(id) : null)
  }
}

export class Cancel extends Endpoint<UsesOwn<'queues'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: CancelBody }
  static operationId = { POST: 'cancelMessage' }
  static summary = 'Cancel a message that was not dispatched; with force, also one that its device may have'
  static responses = { POST: CancelResult }
  static errors = { POST: ['unknown-message', 'handed-over', 'status-conflict', ...STORAGE_ERRORS] }

  async POST(id: number, { force }: CancelBody) {
    const by = actorOf(this.call)
    if (force) return toCancelledMessage(await this.services.queues.cancel(id, { by, force }))
    try {
      const { status } = await this.services.queues.cancel(id, { by })
      return { deliveryStatus: status }
    } catch (error) {
      throw asFirstRelease(id, error)
    }
  }
}

/** Returns the error that the first release sends for a dispatched message, so that its clients see no change. */
function asFirstRelease(id: number, error: unknown): unknown {
  const { code, status } = error as { code?: unknown; status?: unknown }
  if (code !== 'handed-over') return error
  const text = `Message ${id} was dispatched already. Only a message that was never dispatched can be cancelled.`
  return new HttpError(409, text, { code, params: { id }, fields: { deliveryStatus: status } })
}

export class Replay extends Endpoint<UsesOwn<'queues'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: DetailsQuery }
  static operationId = { POST: 'replayMessage' }
  static summary = 'Return a message that is UNKNOWN to its place in the queue'
  static responses = { POST: StatusResult }
  static errors = {
    POST: ['unknown-message', 'not-unknown', 'expired', 'queue-full', ...STORAGE_ERRORS],
  }

  async POST(id: number, { details }: DetailsQuery) {
    try {
      const by = actorOf(this.call)
      return { deliveryStatus: await this.services.queues.replay(id, { by }) }
    } catch (error) {
      throw withQueueState(error, details)
    }
  }
}

export class ReplayAll extends Endpoint<UsesOwn<'queues'>> {
  static access = 'MAN'
  static keywords = { POST: ReplaySelection }
  static operationId = { POST: 'replayMessages' }
  static summary = 'Return parked messages to their queues, the oldest first. Repeat it while left is above 0'
  static responses = { POST: ReplayedMessagesAnswer }
  static errors = { POST: STORAGE_ERRORS }

  async POST({ deviseId, command, from, to, limit }: ReplaySelection) {
    const filter = {
      deviceId: deviseId ?? undefined,
      command: command ?? undefined,
      fromMs: from ?? undefined,
      toMs: to ?? undefined,
    }
    const by = actorOf(this.call)
    return toReplayedMessages(await this.services.queues.replayAll(filter, by, limit ?? MAX_ROWS))
  }
}

export class Resend extends Endpoint<UsesOwn<'queues' | 'messages'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: ResendOptions }
  static headers = [KEY_HEADER]
  static operationId = { POST: 'resendMessage' }
  static summary = 'Send the command of a message again, as a new message without a birth certificate'
  static responses = { POST: ProducerMessageResult }
  static replyHeaders = { POST: REPLAYED_HEADER }
  static errors = {
    POST: [
      'unknown-message',
      'still-pending',
      'key-reused',
      'queue-full',
      'too-large-for-device',
      ...STORAGE_ERRORS,
    ],
  }

  async POST(id: number, { force, idempotencyKey, details }: ResendOptions) {
    const by = actorOf(this.call)
    const { queues, messages } = this.services
    const key = idempotencyKeyOf(this.call.headers[KEY_HEADER], idempotencyKey)
    const { deviceId, command, guarantee, data, status } = (await messages.get(id)).message
    if (status === 'NOT_DELIVERED' && !force) throw stillPending(id)
    const message = { deviceId, command, guarantee, data, senderId: by.clientId, links: { resentFrom: id } }
    const idempotency = idempotencyOf(key, ['resend', id, force])
    try {
      const audit = entryOf(by, 'message.resend', id, { deviceId, command, force })
      return submitAnswer(await queues.enqueue({ ...message, idempotency }, null, audit), null)
    } catch (error) {
      throw withQueueState(error, details)
    }
  }
}
