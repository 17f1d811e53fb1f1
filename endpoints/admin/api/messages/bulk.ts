/** /admin/api/messages/bulk: cancels, replays or re-sends many messages in the background. */
import { actorOf } from '../../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../../src/services.ts'
import { Endpoint, Reply } from '../../../../src/web/endpoint.ts'
import { Type } from '../../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../../src/wire/errors.ts'
import { idempotencyKeyOf, idempotencyOf } from '../../../../src/wire/idempotency.ts'
import { KEY_HEADER, REPLAYED_HEADER } from '../../../_submit.ts'
import { LOCATION_HEADER } from '../_answers.ts'
import { BulkAnswer, BulkBody, BulkPlanAnswer, contentOf, toBulkAnswer, toBulkOrder } from '../_bulk.ts'
import { Id } from '../_schemas.ts'

export { tag } from '../messages.ts'

export class Default extends Endpoint<UsesOwn<'bulk'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN' }
  static keywords = { POST: BulkBody }
  static headers = [KEY_HEADER]
  static operationId = { GET: 'listBulkReports', POST: 'changeMessages' }
  static summary = {
    GET: 'List the last 20 actions on many messages, newest first',
    POST: 'Cancel, replay or re-send many messages in the background, or count them only (dryRun)',
  }
  static responses = { GET: Type.Array(BulkAnswer), POST: { 200: BulkPlanAnswer, 202: BulkAnswer } }
  static replyHeaders = { POST: { ...LOCATION_HEADER, ...REPLAYED_HEADER } }
  static errors = { GET: [], POST: ['bulk-running', 'key-reused', ...STORAGE_ERRORS] }

  GET() {
    return this.services.bulk.all().map(toBulkAnswer)
  }

  async POST({ ...body }: BulkBody) {
    const { bulk } = this.services
    const order = toBulkOrder(body)
    if (body.dryRun) return bulk.plan(order, this.call.signal)
    const key = idempotencyKeyOf(this.call.headers[KEY_HEADER], body.idempotencyKey)
    const started = await bulk.start(order, actorOf(this.call), idempotencyOf(key, contentOf(body)))
    const location = `/admin/api/messages/bulk/${started.report.id}`
    const headers = { location, ...(started.replayed && { 'idempotency-replayed': 'true' }) }
    return new Reply(202, toBulkAnswer(started.report), { headers })
  }
}

export class Report extends Endpoint<UsesOwn<'bulk'>> {
  static access = { GET: ['MAN', 'READER'], DELETE: 'MAN' }
  static segment = false
  static positionals = { GET: [Id], DELETE: [Id] }
  static operationId = { GET: 'getBulkReport', DELETE: 'stopBulk' }
  static summary = {
    GET: 'Show the progress of an action on many messages',
    DELETE: 'Stop an action on many messages; what is done stays',
  }
  static responses = { GET: BulkAnswer, DELETE: BulkAnswer }
  static errors = { GET: ['unknown-bulk'], DELETE: ['unknown-bulk'] }

  GET(id: number) {
    return toBulkAnswer(this.services.bulk.get(id))
  }

  DELETE(id: number) {
    return toBulkAnswer(this.services.bulk.stop(id, actorOf(this.call)))
  }
}
