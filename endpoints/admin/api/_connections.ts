/** Schemas of connections and rejections, and their conversion. Not a route. */
import { TRANSPORTS } from '../../../src/app/transports.ts'
import { type CountedRejection, REJECTION_REASONS } from '../../../src/broker/views/rejection-log.ts'
import { type ListedConnection, SOCKETS } from '../../../src/transport/connections.ts'
import { Choice, type Static, Text, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire/messages.ts'
import { DetailsQuery } from '../../_details.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'
import { PositiveInteger } from './_answers.ts'
import { Id, Limit } from './_schemas.ts'

const TRANSPORT_NAMES = TRANSPORTS.map(({ name }) => name)

export type ConnectionQuery = Static<typeof ConnectionQuery>
export const ConnectionQuery = Type.Object({
  after: Type.Optional(Id),
  limit: Limit,
  deviseId: Type.Optional(DeviceId),
  search: Type.Optional(
    TextLike('10.0.0.', {
      maxLength: 255,
      description: 'with details=true: a part of deviseId, clientId or address',
    }),
  ),
  ...DetailsQuery.properties,
})

export type EndQuery = Static<typeof EndQuery>
export const EndQuery = Type.Object({
  will: Type.Optional(
    Choice(['publish', 'discard'], {
      description:
        'whether the MQTT will of the client is published, as after a lost connection; publish by default',
    }),
  ),
})

export const ConnectionAnswer = Type.Object(
  {
    id: PositiveInteger,
    clientId: TextLike('pump-1', { description: 'empty if the client gave none' }),
    deviseId: TextLike('pump-1', { description: 'device id of the client that logged in' }),
    devices: Type.Array(TextLike('pump-1'), {
      description: 'devices whose commands the connection receives; at most 20 are listed',
    }),
    address: TextLike('192.0.2.7'),
    transport: Choice(SOCKETS),
    protocol: Choice(TRANSPORT_NAMES, { description: 'protocol of the client' }),
    version: Choice(TRANSPORTS.flatMap(({ versions }) => versions)),
    since: Time,
    lastPacketDate: Time,
    subscriptions: Count,
    deviceCount: Type.Optional(Count),
  },
  { title: 'Connection' },
)

export const TOTAL_HEADER = {
  'Waybill-Total': Text({ description: 'with details=true: number of all connections that match' }),
}

export function toConnectionAnswer({
  deviceId,
  deviceCount,
  sinceMs,
  lastPacketAtMs,
  ...connection
}: ListedConnection) {
  return { ...connection, deviseId: deviceId, since: sinceMs, lastPacketDate: lastPacketAtMs }
}

export function toDetailedConnectionAnswer(connection: ListedConnection) {
  return { ...toConnectionAnswer(connection), deviceCount: connection.deviceCount }
}

export const RefusalAnswer = Type.Object(
  {
    date: Time,
    firstDate: Time,
    count: PositiveInteger,
    reason: Choice(REJECTION_REASONS),
    message: TextLike('the user name or the password is wrong'),
    deviseId: Nullable(TextLike('pump-1')),
    clientId: Nullable(TextLike('pump-1')),
    address: TextLike('192.0.2.7'),
    transport: Choice([...TRANSPORT_NAMES, 'REST']),
  },
  { title: 'Refusal' },
)

export function toRefusalAnswer({ deviceId, atMs, firstAtMs, ...rejection }: CountedRejection) {
  return { date: atMs, firstDate: firstAtMs, deviseId: deviceId, ...rejection }
}
