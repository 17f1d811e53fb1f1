/** /admin/api/messages/send: sends one command to several devices. */
import { actorOf, entryOf } from '../../../../src/audit/actor.ts'
import { clientIdOf } from '../../../../src/auth/queue-access.ts'
import type { UsesOwn } from '../../../../src/services.ts'
import { Endpoint } from '../../../../src/web/endpoint.ts'
import { Maybe, type Static, Type } from '../../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../../src/wire/errors.ts'
import { IdempotencyKey, idempotencyKeyOf } from '../../../../src/wire/idempotency.ts'
import { PRODUCER_FIELDS, TERM_SCHEMAS, toSubmission } from '../../../../src/wire/messages.ts'
import { KEY_HEADER } from '../../../_submit.ts'
import { DeviceIds } from '../_schemas.ts'
import { SentLinesAnswer, toSentLines } from '../_sent-lines.ts'

export { tag } from '../messages.ts'

type CommandBody = Static<typeof CommandBody>
const CommandBody = Type.Object(
  {
    deviceIds: DeviceIds,
    command: PRODUCER_FIELDS.command,
    believerGuarantee: PRODUCER_FIELDS.guarantee,
    data: PRODUCER_FIELDS.data,
    ...TERM_SCHEMAS,
    idempotencyKey: Maybe(IdempotencyKey),
  },
  { title: 'DevicesCommand' },
)

export class Default extends Endpoint<UsesOwn<'multiSend'>> {
  static access = 'MAN'
  static keywords = { POST: CommandBody }
  static headers = [KEY_HEADER]
  static operationId = { POST: 'sendToDevices' }
  static summary = 'Send a command to several devices, in one commit; a full queue refuses its own line only'
  static responses = { POST: SentLinesAnswer }
  static errors = { POST: ['bad-terms', 'key-reused', ...STORAGE_ERRORS] }

  async POST({ deviceIds, idempotencyKey, ...message }: CommandBody) {
    const { identity, headers } = this.call
    const key = idempotencyKeyOf(headers[KEY_HEADER], idempotencyKey)
    const { deviceId: _, ...command } = toSubmission('', message, clientIdOf(identity), null)
    const { command: name, guarantee } = command
    const entry = entryOf(actorOf(this.call), 'message.send', null, { command: name, guarantee })
    return toSentLines(await this.services.multiSend(command, deviceIds, key, entry))
  }
}
