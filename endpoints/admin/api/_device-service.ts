/** Schemas of devices out of service and of notes, and their conversion. Not a route. */
import type { DeviceNote } from '../../../src/broker/contract/device-notes.ts'
import type { DeviceService } from '../../../src/broker/contract/device-service.ts'
import { Maybe, type Static, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire/messages.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'
import { PositiveInteger } from './_answers.ts'

/** Maximum devices of one request. */
const MAX_DEVICES = 1_000

const Until = Type.Integer({
  ...Time,
  description: 'date of the end, ahead, by a year at most; null: until a person ends it',
})

const SERVICE = {
  reason: TextLike('the valve is replaced', { minLength: 1, maxLength: 500 }),
  untilDate: Maybe(Until),
}

export type ServiceBody = Static<typeof ServiceBody>
export const ServiceBody = Type.Object(SERVICE)

export type ServicesBody = Static<typeof ServicesBody>
export const ServicesBody = Type.Object({
  devices: Type.Array(DeviceId, { minItems: 1, maxItems: MAX_DEVICES }),
  reason: Maybe(SERVICE.reason),
  untilDate: SERVICE.untilDate,
  end: Maybe(
    Type.Boolean({ description: 'true returns the devices to service; without `reason` and `untilDate`' }),
  ),
})

export const ServiceChangeAnswer = Type.Object(
  { changed: Count, unchanged: Count },
  { title: 'ServiceChange' },
)

export const ServiceAnswer = Type.Object(
  {
    sinceDate: Time,
    untilDate: Nullable(Time),
    reason: TextLike('the valve is replaced'),
    by: Nullable(TextLike('irina')),
  },
  { title: 'DeviceService' },
)

export type ServiceQuery = Static<typeof ServiceQuery>
export const ServiceQuery = Type.Object({
  untilDate: Type.Optional(
    Type.Integer({ ...Time, description: 'date until which `expiring` counts; without it, at any time' }),
  ),
})

export const ServiceStateAnswer = Type.Object(
  {
    service: Nullable(ServiceAnswer),
    expiring: Type.Integer({
      minimum: 0,
      description: 'pending messages of the device whose validity ends until `untilDate`',
    }),
  },
  { title: 'ServiceState' },
)

export type NoteBody = Static<typeof NoteBody>
export const NoteBody = Type.Object({
  text: TextLike('a new valve is ordered', { minLength: 1, maxLength: 2_000 }),
})

export const NoteAnswer = Type.Object(
  {
    id: PositiveInteger,
    date: Time,
    by: Nullable(TextLike('irina')),
    text: TextLike('a new valve is ordered'),
  },
  { title: 'Note' },
)

export const NoteId = PositiveInteger

export function toServiceAnswer({ sinceMs, untilMs, reason, by }: DeviceService) {
  return { sinceDate: sinceMs, untilDate: untilMs, reason, by }
}

export function toNoteAnswer({ id, atMs, by, text }: DeviceNote) {
  return { id, date: atMs, by, text }
}
