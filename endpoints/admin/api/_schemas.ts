/** The shapes of the admin API on the wire, misspellings included. Not a route. */
import { type ClientRecord, ROLES } from '../../../src/auth/clients.ts'
import type { ImportReport } from '../../../src/auth/imports.ts'
import { DEVICE_SETTING_LIST, type DeviceSettings } from '../../../src/broker/device-settings.ts'
import type { Device } from '../../../src/broker/devices.ts'
import { MESSAGE_FIELD_LIST, type MessageRecord, type StoredValue } from '../../../src/broker/message.ts'
import type { MessageDetail } from '../../../src/broker/messages.ts'
import { GUARANTEES, STATUSES } from '../../../src/broker/status.ts'
import type { Template } from '../../../src/broker/templates.ts'
import { RawJson } from '../../../src/web/endpoint.ts'
import { Choice, File, Maybe, RawJsonObject, type Static, Text, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire.ts'

/** Of a client, a template. */
const ID = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
export const Id = Type.Integer(ID)

const Description = Text({ maxLength: 4096 })

const Role = Choice(ROLES, { title: 'Role' })

export type NewClient = Static<typeof NewClient>
export const NewClient = Type.Object(
  {
    deviseId: DeviceId,
    password: Text({ minLength: 1 }),
    role: Maybe(Role),
    description: Maybe(Description),
  },
  { title: 'NewClient' },
)

export type ClientChange = Static<typeof ClientChange>
export const ClientChange = Type.Object(
  {
    /** May be sent along, but not changed. */
    deviseId: Maybe(DeviceId),
    /** Empty: the password stays. */
    password: Maybe(Text()),
    role: Maybe(Role),
    description: Maybe(Description),
  },
  { title: 'ClientChange' },
)

export type ClientsFile = Static<typeof ClientsFile>
export const ClientsFile = Type.Object(
  {
    file: File({ description: 'CSV with the columns deviseId, password, role, description' }),
    dryRun: Type.Boolean({ default: false }),
  },
  { title: 'ClientsFile' },
)

export function shownImport({ refused, ...report }: ImportReport) {
  const errors = refused.map(({ line, deviceId, problem }) => ({
    line,
    deviseId: deviceId,
    message: problem,
  }))
  return { ...report, errors }
}

/** A client as the admin sees it: its password is never told. */
export function shownClient({ id, deviceId, role, description }: ClientRecord) {
  return { id, deviseId: deviceId, role, description }
}

export type TemplateQuery = Static<typeof TemplateQuery>
export const TemplateQuery = Type.Object({ clientId: Type.Optional(Id), deviseId: Type.Optional(DeviceId) })

export type NewTemplate = Static<typeof NewTemplate>
export const NewTemplate = Type.Object(
  {
    clientId: Id,
    description: Maybe(Description),
    command: Text({ minLength: 1, maxLength: 255 }),
    deliveryGuarantee: Maybe(Choice(GUARANTEES)),
    data: Maybe(RawJsonObject()),
  },
  { title: 'NewTemplate' },
)

function templateText({ data, id, clientId, deviceId, description, command, guarantee }: Template): string {
  const head = { id, clientId, deviseId: deviceId, description, command, deliveryGuarantee: guarantee }
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
}

export function shownTemplate(template: Template): RawJson {
  return new RawJson(templateText(template))
}

export function shownTemplates(templates: readonly Template[]): RawJson {
  return new RawJson(`[${templates.map(templateText).join(',')}]`)
}

/** Rows of a page: 500 where more are asked for. */
export const MOST_ROWS = 500
const ROWS = { minimum: 1, default: 200, description: `rows of a page, at most ${MOST_ROWS}` }
export const Limit = Type.Integer(ROWS)
const SHORT =
  'A request looks for 15 ms: with a rare command or status its page may be short, even empty, and go on'

/** Milliseconds since 1970. */
const Time = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export type MessageQuery = Static<typeof MessageQuery>
export const MessageQuery = Type.Object({
  deviseId: Type.Optional(DeviceId),
  status: Type.Optional(Choice(STATUSES)),
  command: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
  before: Type.Optional(Type.Integer({ ...ID, description: 'messages with smaller ids' })),
  limit: Type.Integer({ ...ROWS, description: `${ROWS.description}. ${SHORT}` }),
})

/** Returns the members of a message under their names for admins. Its data is left out, as that is JSON already. */
function membersOf(message: MessageRecord, name: 'listed' | 'detailed'): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [field, { [name]: wireName }] of MESSAGE_FIELD_LIST) {
    if (wireName !== undefined && field !== 'data') members[wireName] = message[field]
  }
  return members
}

/** Returns the text of a message item without its closing brace. Joined as text, so that `data` stays the text it was. */
function openItem(message: MessageRecord): string {
  return `${JSON.stringify(membersOf(message, 'listed')).slice(0, -1)},"data":${message.data}`
}

export function shownMessages(messages: readonly MessageRecord[]): RawJson {
  return new RawJson(`[${messages.map((message) => `${openItem(message)}}`).join(',')}]`)
}

export function shownDetail({ message, changes, attempts, wait }: MessageDetail): RawJson {
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

export type DeviceQuery = Static<typeof DeviceQuery>
export const DeviceQuery = Type.Object({
  after: Type.Optional(DeviceId),
  limit: Limit,
  search: Type.Optional(Text({ maxLength: 255, description: 'a part of the device id' })),
  details: Type.Boolean({ default: false, description: 'true: with the settings of the device' }),
})

/** The settings of a device by their names on the wire. */
export type NewDeviceSettings = Readonly<Record<string, StoredValue>>
export const NewDeviceSettings = Type.Object(
  Object.fromEntries(
    DEVICE_SETTING_LIST.map(([, { wireName, schema, unit, meaning, general }]) => {
      const description = `${meaning}${unit === undefined ? '' : `, in ${unit}`}; null: ${general}`
      return [wireName, Type.Optional(Type.Union([schema, Type.Null()], { description }))]
    }),
  ),
  // All settings are replaced, so a misspelt one would become general without a word.
  { title: 'NewDeviceSettings', additionalProperties: false },
)

export function toDeviceSettings(members: NewDeviceSettings): DeviceSettings {
  const values = DEVICE_SETTING_LIST.map(([name, { wireName }]) => [name, members[wireName] ?? null])
  return Object.fromEntries(values) as DeviceSettings
}

export function shownSettings(settings: DeviceSettings): NewDeviceSettings {
  return Object.fromEntries(DEVICE_SETTING_LIST.map(([name, { wireName }]) => [wireName, settings[name]]))
}

/** Returns a device without its settings. */
export function shownDevice({ deviceId, clientId, waiting, oldestAtMs, seenAtMs, transport, last }: Device) {
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

export function shownDeviceDetails(device: Device) {
  return { ...shownDevice(device), settings: shownSettings(device.settings) }
}
