/** Schemas of devices, and their conversion. Not a route. */

import { DEVICE_SORTS, type DeviceCounts, MAX_SORTED } from '../../../src/broker/views/device-search.ts'
import { DEVICE_CONDITIONS, DEVICE_STATES } from '../../../src/broker/views/device-snapshot.ts'
import type {
  DetailedDevice,
  DetailedFlight,
  Device,
  DeviceQueue,
  OneDevice,
} from '../../../src/broker/views/devices.ts'
import { PRESENCE_STATES } from '../../../src/broker/vocabulary/presence.ts'
import { RawJson } from '../../../src/web/endpoint.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { DeliveryStatus, DeviceId, MessageId } from '../../../src/wire/messages.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'
import { DeviceSettingsAnswer, MessageAnswer, PositiveInteger } from './_answers.ts'
import { ServiceAnswer, toServiceAnswer } from './_device-service.ts'
import { toListedAnswers } from './_message-answers.ts'
import { STATES_OF_PRESENCE } from './_presence.ts'
import { Limit, toDeviceSettingsAnswer } from './_schemas.ts'

export type DeviceQuery = Static<typeof DeviceQuery>
export const DeviceQuery = Type.Object({
  details: Type.Boolean({
    default: false,
    description: 'true adds the settings of each device, its state, its message in flight and what is wrong',
  }),
})

const STATES = 'ONLINE: connected. RECENT: seen within five minutes. AWAY: seen before. UNSEEN: never seen'
export type CountsQuery = Static<typeof CountsQuery>
export const CountsQuery = Type.Object({
  details: Type.Boolean({ default: false, description: 'true adds outOfService' }),
})

const CONDITIONS =
  'PENDING: with pending messages. BLOCKED: from the second attempt on. PARKED: with messages to replay. ' +
  'FAILED: with failures of a day. BUSY: asked for a pause. SILENT: overdue by its expectedSeconds, or the general value. SERVICE: out of service'

export type DevicesQuery = Static<typeof DevicesQuery>
export const DevicesQuery = Type.Object({
  after: Type.Optional(
    Type.Unsafe<string>({
      ...DeviceId,
      description: 'the page begins behind this device, in the order of the list',
    }),
  ),
  limit: Limit,
  search: Type.Optional(
    TextLike('pump', {
      maxLength: 255,
      description: 'part of the device id, with details=true also of the description',
    }),
  ),
  state: Type.Array(Choice(DEVICE_STATES), {
    comma: true,
    default: [],
    description: `with details=true: only devices in one of these states. ${STATES}`,
  }),
  with: Type.Array(Choice(DEVICE_CONDITIONS), {
    comma: true,
    default: [],
    description: `with details=true: only devices to which all of this applies. ${CONDITIONS}`,
  }),
  unseenSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_153_600_000,
      examples: [604_800],
      description: 'with details=true: only devices that were not seen for this time, or never',
    }),
  ),
  sort: Choice(DEVICE_SORTS, {
    default: 'id',
    description: `with details=true. A list in another order than that of the ids ends after ${MAX_SORTED} devices; lastMessage and delivery sort the first ${MAX_SORTED} matches`,
  }),
  order: Choice(['asc', 'desc'], { default: 'asc', description: 'with details=true' }),
  ...DeviceQuery.properties,
})

const FlightAnswer = Type.Object(
  {
    id: MessageId,
    command: TextLike('start'),
    attempt: PositiveInteger,
    maxAttempts: Nullable(PositiveInteger),
    sinceDate: Time,
    until: Type.Optional(Time),
  },
  { title: 'Flight' },
)

export const DeviceAnswer = Type.Object(
  {
    deviseId: TextLike('pump-1'),
    clientId: Nullable(PositiveInteger),
    waiting: Type.Integer({ minimum: 0 }),
    oldestWaitingDate: Nullable(Time),
    lastSeenDate: Nullable(Time),
    transport: Nullable(TextLike('MQTT')),
    lastMessage: Nullable(
      Type.Object({ id: MessageId, command: TextLike('start'), deliveryStatus: DeliveryStatus, date: Time }),
    ),
    settings: Type.Optional(DeviceSettingsAnswer),
    busyUntilDate: Type.Optional(Nullable(Time)),
    description: Type.Optional(TextLike('pump in the cellar')),
    state: Type.Optional(Choice(DEVICE_STATES)),
    inFlight: Type.Optional(Nullable(FlightAnswer)),
    blockedSinceDate: Type.Optional(Nullable(Time)),
    parked: Type.Optional(Count),
    failed: Type.Optional(Count),
    lastDeliveryMs: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
    pacedUntilDate: Type.Optional(Nullable(Time)),
    presence: Type.Optional(Choice(PRESENCE_STATES, { description: STATES_OF_PRESENCE })),
    sinceDate: Type.Optional(Nullable(Time)),
    firstSeenDate: Type.Optional(Nullable(Time)),
    lastSeenExact: Type.Optional(
      Type.Boolean({ description: 'false: the device was present when its server was lost' }),
    ),
    address: Type.Optional(Nullable(TextLike('192.0.2.17'))),
    node: Type.Optional(Nullable(PositiveInteger)),
    via: Type.Optional(Nullable(TextLike('gateway-1'))),
    pollSeconds: Type.Optional(Nullable(Count)),
    usualAbsenceSeconds: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          examples: [18_000],
          description: 'longest absence of the last 30 days that ended by itself; null: none is known',
        }),
      ),
    ),
    service: Type.Optional(Nullable(ServiceAnswer)),
  },
  { title: 'Device' },
)

export const DeviceCountsAnswer = Type.Object(
  {
    all: Count,
    online: Count,
    recent: Count,
    away: Count,
    unseen: Count,
    pending: Count,
    awayPending: Type.Integer({
      minimum: 0,
      description: 'devices with pending messages that are AWAY or UNSEEN: state=AWAY,UNSEEN&with=PENDING',
    }),
    blocked: Count,
    parked: Count,
    failed: Count,
    busy: Count,
    silent: Count,
    outOfService: Type.Optional(Count),
  },
  { title: 'DeviceCounts' },
)

export type QueueQuery = Static<typeof QueueQuery>
export const QueueQuery = Type.Object({ limit: Limit })

export const QueueAnswer = Type.Object(
  {
    total: Count,
    commands: Type.Array(Type.Object({ command: TextLike('start'), count: Count }), {
      description: 'number of messages of each command, among the oldest 10,000; the most frequent first',
    }),
    items: Type.Array(MessageAnswer, { description: 'the oldest messages, in the order of the queue' }),
  },
  { title: 'Queue' },
)

/** Returns the beginning of a queue. Concatenates text, because `data` is already JSON text. */
export function toQueueAnswer({ total, commands, messages }: DeviceQueue): RawJson {
  const items = toListedAnswers(messages).text
  return new RawJson(`{"total":${total},"commands":${JSON.stringify(commands)},"items":${items}}`)
}

export function toDeviceAnswer(device: Device) {
  const { deviceId, clientId, waiting, oldestAtMs, seenAtMs, transport, last } = device
  return {
    deviseId: deviceId,
    clientId,
    waiting,
    oldestWaitingDate: oldestAtMs,
    lastSeenDate: seenAtMs,
    transport,
    lastMessage: last && { id: last.id, command: last.command, deliveryStatus: last.status, date: last.atMs },
  }
}

export function toDetailedDeviceAnswer(device: DetailedDevice) {
  const { settings, busyUntilMs, description, state, inFlight, blockedSinceMs, parked, failed } = device
  const { presence, usualAbsenceMs } = device
  return {
    ...toDeviceAnswer(device),
    settings: toDeviceSettingsAnswer(settings),
    busyUntilDate: busyUntilMs,
    description,
    state,
    inFlight: inFlight && toFlight(inFlight),
    blockedSinceDate: blockedSinceMs,
    parked,
    failed,
    lastDeliveryMs: device.deliveryMs,
    presence: presence.state,
    sinceDate: presence.sinceMs,
    firstSeenDate: presence.firstMs,
    lastSeenExact: presence.isExact,
    address: presence.address,
    node: presence.nodeId,
    via: device.via,
    pollSeconds: presence.pollSeconds,
    usualAbsenceSeconds: usualAbsenceMs === null ? null : Math.ceil(usualAbsenceMs / 1_000),
    service: device.service && toServiceAnswer(device.service),
  }
}

export function toOneDeviceAnswer(device: OneDevice) {
  return { ...toDetailedDeviceAnswer(device), pacedUntilDate: device.pacedUntilMs }
}

function toFlight({ messageId, command, attempt, maxAttempts, sinceMs, untilMs }: DetailedFlight) {
  const flight = { id: messageId, command, attempt, maxAttempts, sinceDate: sinceMs }
  return untilMs === null ? flight : { ...flight, until: untilMs }
}

/** @param details true adds the counts that the first clients do not know */
export function toDeviceCounts({ all, states, conditions, awayPending }: DeviceCounts, details: boolean) {
  const { ONLINE: online, RECENT: recent, AWAY: away, UNSEEN: unseen } = states
  const {
    PENDING: pending,
    BLOCKED: blocked,
    PARKED: parked,
    FAILED: failed,
    BUSY: busy,
    SILENT: silent,
    SERVICE: outOfService,
  } = conditions
  const counts = {
    all,
    online,
    recent,
    away,
    unseen,
    pending,
    awayPending,
    blocked,
    parked,
    failed,
    busy,
    silent,
  }
  return details ? { ...counts, outOfService } : counts
}
