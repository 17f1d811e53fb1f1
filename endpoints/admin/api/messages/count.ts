/** /admin/api/messages/count: counts messages. */
import type { UsesOwn } from '../../../../src/services.ts'
import { Endpoint } from '../../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../../src/wire/errors.ts'
import { MessageCountAnswer } from '../_answers.ts'
import { MessageConditions, toMessageSearch } from '../_message-filter.ts'

export { tag } from '../messages.ts'

export class Default extends Endpoint<UsesOwn<'messages'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: MessageConditions }
  static operationId = { GET: 'countMessages' }
  static summary = 'Count messages, for at most 50 ms and up to 10,000'
  static responses = { GET: MessageCountAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ ...conditions }: MessageConditions) {
    const { messages } = this.services
    const { searchedToMs, ...counted } = await messages.count(toMessageSearch(conditions), this.call.signal)
    return { ...counted, searchedToDate: searchedToMs }
  }
}
