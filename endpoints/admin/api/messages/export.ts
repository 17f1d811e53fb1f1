/** /admin/api/messages/export: downloads messages as a file. */
import type { UsesOwn } from '../../../../src/services.ts'
import { Endpoint, Reply } from '../../../../src/web/endpoint.ts'
import { Choice, type Static, Type } from '../../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../../src/wire/errors.ts'
import { ATTACHMENT_HEADER } from '../_answers.ts'
import { EXPORT_FORMATS, EXPORT_TYPES, exportText } from '../_message-export.ts'
import { MessageConditions, toMessageSearch } from '../_message-filter.ts'
import { Id, MAX_ROWS } from '../_schemas.ts'

export { tag } from '../messages.ts'

type ExportQuery = Static<typeof ExportQuery>
const ExportQuery = Type.Object({
  id: Type.Optional(
    Type.Array(Id, { minItems: 1, maxItems: MAX_ROWS, description: 'only messages with one of these ids' }),
  ),
  ...MessageConditions.properties,
  format: Choice(EXPORT_FORMATS, {
    description: 'csv for spreadsheets; jsonl: a line of JSON for each message',
  }),
})

const ExportFile = Type.Union([
  Type.String({ contentMediaType: 'text/csv' }),
  Type.String({ contentMediaType: 'application/x-ndjson' }),
])

const NO_CONTENT = new Uint8Array()

export class Default extends Endpoint<UsesOwn<'exports'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: ExportQuery }
  static operationId = { GET: 'exportMessages' }
  static summary = 'Download all messages that match, newest first'
  static responses = { GET: ExportFile }
  static replyHeaders = { GET: ATTACHMENT_HEADER }
  static errors = { GET: ['export-running', ...STORAGE_ERRORS] }

  async GET({ format, id: ids, ...conditions }: ExportQuery) {
    const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
    const headers = {
      'content-type': EXPORT_TYPES[format],
      'content-disposition': `attachment; filename="waybill-messages-${time}Z.${format}"`,
    }
    // HEAD reads no messages. It may omit an unknown length (RFC 9110 section 9.3.2).
    if (this.call.method === 'HEAD') return new Reply(200, NO_CONTENT, { headers })
    const messages = await this.services.exports.open({ ...toMessageSearch(conditions), ids })
    return new Reply(200, exportText(messages, format), { headers })
  }
}
