/** /producer/messages: shows a client the messages that it sent, or whose results it receives. */
import { canReadAll, canReadMessage, seesAllMessages } from '../../src/auth/queue-access.ts'
import type { MessageDetail } from '../../src/broker/views/messages.ts'
import { unknownMessage } from '../../src/broker/vocabulary/errors.ts'
import { NO_LINKS } from '../../src/broker/vocabulary/link-table.ts'
import type { UsesOwn } from '../../src/services.ts'
import { Endpoint, RawJson } from '../../src/web/endpoint.ts'
import { type Static, Type } from '../../src/web/schema.ts'
import type { Identity } from '../../src/web/types.ts'
import { STORAGE_ERRORS } from '../../src/wire/errors.ts'
import { MessageId } from '../../src/wire/messages.ts'
import { statusDetails } from '../_details.ts'
import { MessageStatus } from '../_schemas.ts'
import { MessageDetailAnswer } from '../admin/api/_answers.ts'
import { toMessageDetailAnswer } from '../admin/api/_message-answers.ts'

export { tag } from './index.ts'

const MAX_IDS = 500

type IdsQuery = Static<typeof IdsQuery>
const IdsQuery = Type.Object({ id: Type.Array(MessageId, { minItems: 1, maxItems: MAX_IDS }) })

export class Default extends Endpoint<UsesOwn<'messages' | 'canActFor'>> {
  static access = 'any'
  static keywords = { GET: IdsQuery }
  static operationId = { GET: 'listOwnMessages' }
  static summary = 'Show the statuses of several own messages, in the order asked'
  static responses = { GET: Type.Array(MessageStatus) }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ id: ids }: IdsQuery) {
    const { messages, canActFor } = this.services
    const { identity } = this.call
    const found = await messages.getAll([...new Set(ids)])
    const own = found.filter(({ message }) => canReadMessage(identity, message))
    const showsOthers = canReadAll(canActFor, identity)
    return new RawJson(`[${own.map((detail) => statusDetails(detail, showsOthers).text).join(',')}]`)
  }
}

export class Message extends Endpoint<UsesOwn<'messages' | 'canActFor'>> {
  static access = 'any'
  static segment = false
  static positionals = { GET: [MessageId] }
  static operationId = { GET: 'getOwnMessage' }
  static summary = 'Show an own message with its history'
  static responses = { GET: MessageDetailAnswer }
  static errors = { GET: ['unknown-message', ...STORAGE_ERRORS] }

  async GET(id: number) {
    const { messages, canActFor } = this.services
    const { identity } = this.call
    const detail = await messages.get(id)
    if (!canReadMessage(identity, detail.message)) throw unknownMessage(id)
    const shown = seesAllMessages(identity)
      ? detail
      : withoutOthers(detail, identity, canActFor(identity, null))
    return toMessageDetailAnswer(shown, true)
  }
}

/**
 * Returns a message without the ids of clients other than the caller and the device.
 *
 * @param showsOthers false also hides the ids of other messages: the message dispatched first, and the links
 */
function withoutOthers(
  detail: MessageDetail,
  identity: Identity | null,
  showsOthers: boolean,
): MessageDetail {
  const { message, extras, changes, wait } = detail
  const shown = [identity?.id, message.deviceId]
  const own = (id: string | null): string | null => (id !== null && shown.includes(id) ? id : null)
  const { senderId, producerId } = message
  return {
    ...detail,
    message: { ...message, senderId: own(senderId), producerId: own(producerId) },
    changes: changes.map((change) => ({ ...change, by: own(change.by) })),
    extras: showsOthers ? extras : { ...extras, ...NO_LINKS },
    wait: wait && { ...wait, messageId: showsOthers ? wait.messageId : null },
  }
}
