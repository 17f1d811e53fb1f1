/** /admin/api/suggestions: suggests values for a filter. */

import type { Page } from '../../../src/broker/contract/message-log.ts'
import type { Device } from '../../../src/broker/views/devices.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { TextLike } from '../../_schemas.ts'

export { tag } from './messages.ts'

const LIMIT = 8
/** Maximum pages of the list of devices, each of which takes at most 15 ms. */
const MAX_PAGES = 4

type SuggestionQuery = Static<typeof SuggestionQuery>
const SuggestionQuery = Type.Object({
  kind: Choice(['DEVICE', 'COMMAND', 'SENDER'], {
    description: 'commands and senders are those of the newest 5,000 messages',
  }),
  search: Type.Optional(TextLike('pump', { maxLength: 255, description: 'part of the text' })),
})

export class Default extends Endpoint<UsesOwn<'messages' | 'devices'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: SuggestionQuery }
  static operationId = { GET: 'listSuggestions' }
  static summary = 'List up to 8 device ids, commands or senders that contain a text'
  static responses = { GET: Type.Array(TextLike('pump-1')) }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ kind, search = '' }: SuggestionQuery) {
    const { messages, devices } = this.services
    if (kind !== 'DEVICE') {
      const suggested = kind === 'COMMAND' ? 'command' : 'senderId'
      return await messages.suggest(suggested, search, LIMIT, this.call.signal)
    }
    const ids: string[] = []
    let after: string | null = ''
    for (let pages = 0; pages < MAX_PAGES && after !== null && ids.length < LIMIT; pages++) {
      const { items, next }: Page<Device, string> = await devices.list(after, LIMIT - ids.length, search)
      ids.push(...items.map(({ deviceId }) => deviceId))
      after = next
    }
    return ids
  }
}
