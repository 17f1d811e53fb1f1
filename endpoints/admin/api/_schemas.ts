/** Schemas of the requests of the admin API, and the conversion of its answers. Not a route. */
import { type ClientRecord, ROLES } from '../../../src/auth/clients.ts'
import type { ImportReport } from '../../../src/auth/imports.ts'
import { ACCEPTED_COSTS } from '../../../src/auth/password-hash.ts'
import { DEVICE_SETTING_LIST, type DeviceSettings } from '../../../src/broker/device-settings.ts'
import type { Device } from '../../../src/broker/devices.ts'
import {
  MESSAGE_FIELD_LIST,
  MESSAGE_FIELDS,
  type MessageRecord,
  type StoredValue,
} from '../../../src/broker/message.ts'
import type { MessageDetail } from '../../../src/broker/messages.ts'
import { GUARANTEES, STATUSES } from '../../../src/broker/status.ts'
import type { Template } from '../../../src/broker/templates.ts'
import { RawJson } from '../../../src/web/endpoint.ts'
import { Choice, File, Maybe, Secret, type Static, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire.ts'
import { TextLike, Time } from '../../_schemas.ts'

/** Bounds of the id of a client, a template, a message or a connection. */
const ID = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
export const Id = Type.Integer(ID)

const DESCRIPTION = { maxLength: 4096 }
const Description = TextLike('pump in the cellar', DESCRIPTION)

const Role = Choice(ROLES, { title: 'Role' })

export type NewClientBody = Static<typeof NewClientBody>
export const NewClientBody = Type.Object(
  {
    deviseId: DeviceId,
    password: Secret({
      minLength: 1,
      description: `the password, or its bcrypt hash ($2a$, $2b$ or $2y$) of cost ${ACCEPTED_COSTS}`,
      examples: ['a password'],
    }),
    role: Maybe(Role),
    description: Maybe(Description),
  },
  { title: 'NewClient' },
)

export type ClientChangeBody = Static<typeof ClientChangeBody>
export const ClientChangeBody = Type.Object(
  {
    deviseId: Maybe(
      Type.Unsafe<string>({
        ...DeviceId,
        description:
          'another id renames the client; its queue, its settings and its history stay with the old id',
      }),
    ),
    password: Maybe(
      Secret({
        description: 'the new password, not a hash; empty: the password stays as it is',
        examples: ['a new password'],
      }),
    ),
    role: Maybe(Role),
    description: Maybe(Description),
  },
  { title: 'ClientChange' },
)

export type ClientsFile = Static<typeof ClientsFile>
export const ClientsFile = Type.Object(
  {
    file: File({
      description: 'CSV with the columns deviseId, password, role, description',
      examples: ['deviseId,password\npump-1,a password\n'],
    }),
    dryRun: Type.Boolean({ default: false }),
  },
  { title: 'ClientsFile' },
)

export function toImportAnswer({ refused, ...report }: ImportReport) {
  const errors = refused.map(({ line, deviceId, problem }) => ({
    line,
    deviseId: deviceId,
    message: problem,
  }))
  return { ...report, errors }
}

/** Returns a client for admins, without its password hash. */
export function toClientAnswer({ id, deviceId, role, description }: ClientRecord) {
  return { id, deviseId: deviceId, role, description }
}

export type TemplateQuery = Static<typeof TemplateQuery>
export const TemplateQuery = Type.Object({ clientId: Type.Optional(Id), deviseId: Type.Optional(DeviceId) })

export type NewTemplateBody = Static<typeof NewTemplateBody>
export const NewTemplateBody = Type.Object(
  {
    clientId: Id,
    description: Maybe(TextLike('pump in the cellar', { ...DESCRIPTION, notBlank: true })),
    command: TextLike('start', { minLength: 1, maxLength: 255 }),
    deliveryGuarantee: Maybe(Choice(GUARANTEES)),
    data: Maybe(MESSAGE_FIELDS.data.schema),
  },
  { title: 'NewTemplate' },
)

function templateText({ data, id, clientId, deviceId, description, command, guarantee }: Template): string {
  const head = { id, clientId, deviseId: deviceId, description, command, deliveryGuarantee: guarantee }
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
}

export function toTemplateAnswer(template: Template): RawJson {
  return new RawJson(templateText(template))
}

export function toTemplateAnswers(templates: readonly Template[]): RawJson {
  return new RawJson(`[${templates.map(templateText).join(',')}]`)
}

/** Maximum rows of a page. A request for more gets this many. */
export const MAX_ROWS = 500
const LIMIT = {
  minimum: 1,
  default: 200,
  description: `maximum rows of a page; values above ${MAX_ROWS} mean ${MAX_ROWS}`,
}
export const Limit = Type.Integer(LIMIT)
const SHORT_PAGE =
  'A request searches for at most 15 ms. A page with a rare command or status may be short or empty and still have a next page'

/** Time in milliseconds since 1970. */
const QueryTime = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: Time.examples })

export type MessageQuery = Static<typeof MessageQuery>
export const MessageQuery = Type.Object({
  deviseId: Type.Optional(DeviceId),
  status: Type.Optional(Choice(STATUSES)),
  command: Type.Optional(TextLike('start', { minLength: 1, maxLength: 255 })),
  from: Type.Optional(QueryTime),
  to: Type.Optional(QueryTime),
  before: Type.Optional(Type.Integer({ ...ID, description: 'only messages with smaller ids' })),
  limit: Type.Integer({ ...LIMIT, description: `${LIMIT.description}. ${SHORT_PAGE}` }),
})

/** Returns the fields of a message by their names for admins, without `data`, which is JSON text already. */
function membersOf(message: MessageRecord, name: 'listed' | 'detailed'): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [field, { [name]: wireName }] of MESSAGE_FIELD_LIST) {
    if (wireName !== undefined && field !== 'data') members[wireName] = message[field]
  }
  return members
}

/**
 * Returns the JSON of a listed message without its closing brace. The text is joined: parsing and printing `data` could
 * change its numbers.
 */
function openItem(message: MessageRecord): string {
  return `${JSON.stringify(membersOf(message, 'listed')).slice(0, -1)},"data":${message.data}`
}

export function toMessageAnswers(messages: readonly MessageRecord[]): RawJson {
  return new RawJson(`[${messages.map((message) => `${openItem(message)}}`).join(',')}]`)
}

export function toMessageDetailAnswer({ message, changes, attempts, wait }: MessageDetail): RawJson {
  const more = JSON.stringify({
    ...membersOf(message, 'detailed'),
    history: changes.map(({ atMs, status, cause, by, messageId }) => ({
      date: atMs,
      deliveryStatus: status,
      cause,
      deviseId: by,
      messageId,
    })),
    attempts: attempts.map(({ atMs, transport, outcome }) => ({ date: atMs, transport, outcome })),
    waits: wait && { reason: wait.reason, messageId: wait.messageId, until: wait.untilMs },
  })
  return new RawJson(`${openItem(message)},${more.slice(1)}`)
}

export type ResendOptions = Static<typeof ResendOptions>
export const ResendOptions = Type.Object(
  {
    force: Type.Boolean({
      default: false,
      description: 'true sends the command again although the message is still pending',
    }),
  },
  { title: 'ResendOptions' },
)

export type DeviceQuery = Static<typeof DeviceQuery>
export const DeviceQuery = Type.Object({
  details: Type.Boolean({ default: false, description: 'true adds the settings of each device' }),
})

export type DevicesQuery = Static<typeof DevicesQuery>
export const DevicesQuery = Type.Object({
  after: Type.Optional(DeviceId),
  limit: Limit,
  search: Type.Optional(TextLike('pump', { maxLength: 255, description: 'part of the device id' })),
  ...DeviceQuery.properties,
})

/** Settings of a device by their names on the wire. */
export type DeviceSettingsBody = Readonly<Record<string, StoredValue>>
export const DeviceSettingsBody = Type.Object(
  Object.fromEntries(
    DEVICE_SETTING_LIST.map(([, { wireName, schema, unit, meaning, general }]) => {
      const description = `${meaning}${unit === undefined ? '' : `, in ${unit}`}; null: ${general}`
      return [wireName, Type.Optional(Type.Union([schema, Type.Null()], { description }))]
    }),
  ),
  // The request replaces all settings. If unknown names were ignored, a misspelt one would reset a setting silently.
  { title: 'NewDeviceSettings', additionalProperties: false },
)

/** Returns all settings; those that are left out are null, which is the general value. */
export function toDeviceSettings(members: DeviceSettingsBody): DeviceSettings {
  const values = DEVICE_SETTING_LIST.map(([name, { wireName }]) => [name, members[wireName] ?? null])
  return Object.fromEntries(values) as DeviceSettings
}

/** Returns all settings; those that are left out are null, which is the general value. */
export function toDeviceSettingsAnswer(settings: DeviceSettings): DeviceSettingsBody {
  return Object.fromEntries(DEVICE_SETTING_LIST.map(([name, { wireName }]) => [wireName, settings[name]]))
}

/** Returns a device without its settings. */
export function toDeviceAnswer({
  deviceId,
  clientId,
  waiting,
  oldestAtMs,
  seenAtMs,
  transport,
  last,
}: Device) {
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

export function toDeviceDetailsAnswer(device: Device) {
  return { ...toDeviceAnswer(device), settings: toDeviceSettingsAnswer(device.settings) }
}
