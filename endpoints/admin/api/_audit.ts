/** Schemas of the audit trail, and their conversion. Not a route. */
import { AUDIT_ACTIONS, type AuditFilter, type AuditLine } from '../../../src/audit/audit.ts'
import { DEVICE_SETTING_LIST } from '../../../src/broker/vocabulary/device-settings.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire/messages.ts'
import { Nullable, TextLike, Time } from '../../_schemas.ts'
import { PositiveInteger } from './_answers.ts'
import { ID, Limit, QueryTime } from './_schemas.ts'

const Action = Choice(AUDIT_ACTIONS, { title: 'AuditAction' })

export type AuditQuery = Static<typeof AuditQuery>
export const AuditQuery = Type.Object({
  client: Type.Optional(Type.Unsafe<string>({ ...DeviceId, description: 'only lines of this client' })),
  action: Type.Optional(Action),
  object: Type.Optional(
    TextLike('pump-1', {
      minLength: 1,
      maxLength: 255,
      description: 'only lines about this thing: the id of a client, a device or a message',
    }),
  ),
  from: Type.Optional(QueryTime),
  to: Type.Optional(QueryTime),
  before: Type.Optional(Type.Integer({ ...ID, description: 'only lines with smaller ids' })),
  limit: Limit,
})

export const AuditLineAnswer = Type.Object(
  {
    id: PositiveInteger,
    date: Time,
    deviseId: Nullable(
      TextLike('admin', {
        description:
          'client that made the change; null if it had not logged in, or worked on the data directory',
      }),
    ),
    keyId: Nullable(PositiveInteger),
    address: Nullable(
      TextLike('192.0.2.7', {
        description: 'null for a command on the data directory, and for own endpoints',
      }),
    ),
    action: Action,
    object: Nullable(TextLike('pump-1', { description: 'name or id of what was changed' })),
    detail: Type.Object(
      {},
      { additionalProperties: true, description: 'changed fields with their new values, without secrets' },
    ),
  },
  { title: 'AuditLine' },
)

export function toAuditFilter({ client, action, object, from, to, before }: AuditQuery): AuditFilter {
  return {
    clientId: client ?? null,
    action: action ?? null,
    object: object ?? null,
    fromMs: from ?? null,
    toMs: to ?? null,
    before: before ?? null,
  }
}

export function toAuditAnswer({ id, atMs, by, action, object, detail }: AuditLine) {
  const { clientId, keyId, address } = by
  const named = Object.entries(detail).map(([name, value]) => [WIRE_NAMES.get(name) ?? name, value])
  return {
    id,
    date: atMs,
    deviseId: clientId,
    keyId,
    address,
    action,
    object,
    detail: Object.fromEntries(named),
  }
}

/** Wire names of the fields whose names differ in the code. */
const WIRE_NAMES = new Map<string, string>([
  ['deviceId', 'deviseId'],
  ['guarantee', 'deliveryGuarantee'],
  ['fromMs', 'from'],
  ['toMs', 'to'],
  ...DEVICE_SETTING_LIST.map(([name, { wireName }]) => [name, wireName] as const),
])
