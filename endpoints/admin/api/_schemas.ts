/** Schemas of the requests of the admin API, and the conversion of its answers except messages. Not a route. */
import { type ClientRecord, ROLES } from '../../../src/auth/clients.ts'
import { ACCEPTED_COSTS } from '../../../src/auth/password-hash.ts'
import type { Template } from '../../../src/broker/engine/templates.ts'
import { DEVICE_SETTING_LIST, type DeviceSettings } from '../../../src/broker/vocabulary/device-settings.ts'
import { MESSAGE_FIELDS } from '../../../src/broker/vocabulary/message.ts'
import { GUARANTEES } from '../../../src/broker/vocabulary/status.ts'
import { templateTermsOf } from '../../../src/broker/vocabulary/term-table.ts'
import { checkSettings } from '../../../src/broker/vocabulary/terms.ts'
import { RawJson } from '../../../src/web/endpoint.ts'
import { Choice, File, Maybe, Secret, type Static, Type } from '../../../src/web/schema.ts'
import { DeviceEntries } from '../../../src/wire/clients-csv.ts'
import { IdempotencyKey } from '../../../src/wire/idempotency.ts'
import { DeviceId, PRODUCER_FIELDS, TEMPLATE_TERMS } from '../../../src/wire/messages.ts'
import { BodyDetails, DetailsQuery, wantsDetails } from '../../_details.ts'
import { TextLike, Time } from '../../_schemas.ts'

/** Bounds of the id of a client, a template, a message or a connection. */
export const ID = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
export const Id = Type.Integer(ID)

const DESCRIPTION = { maxLength: 4096 }
const Description = TextLike('pump in the cellar', DESCRIPTION)

const Role = Choice(ROLES, { title: 'Role' })

const OwnQueueOnly = Maybe(
  Type.Boolean({
    description:
      'true: the client acts for its own id and its devices only; null: as APP_SECURITY_OWN_QUEUE_ONLY says',
  }),
)

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
    devices: Maybe(DeviceEntries),
    ownQueueOnly: OwnQueueOnly,
    details: BodyDetails,
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
    devices: Maybe(DeviceEntries),
    ownQueueOnly: OwnQueueOnly,
    details: BodyDetails,
  },
  { title: 'ClientChange' },
)

export type ClientsFile = Static<typeof ClientsFile>
export const ClientsFile = Type.Object(
  {
    file: File({
      description:
        'CSV in UTF-8, UTF-16 or Windows-1251 with the columns deviseId (or id, device, deviceId), password, role, description, devices, ownQueueOnly; spaces separate the entries of devices',
      examples: ['deviseId,password\npump-1,a password\n'],
    }),
    dryRun: Type.Boolean({ default: false }),
    generatePasswords: Type.Optional(
      Type.Boolean({
        description:
          'true: new clients without a password get a random one, which only this answer shows, with details',
      }),
    ),
    details: BodyDetails,
  },
  { title: 'ClientsFile' },
)

/**
 * Returns a client for admins, without its password hash.
 *
 * @param details true adds its devices, its limits and its last login
 * @param lastLogins times by client id
 */
export function toClientAnswer(
  { id, deviceId, role, description, devices, ownQueueOnly }: ClientRecord,
  details: unknown = false,
  lastLogins: ReadonlyMap<number, number> = new Map(),
) {
  const client = { id, deviseId: deviceId, role, description }
  return wantsDetails(details)
    ? { ...client, devices, ownQueueOnly, lastLoginDate: lastLogins.get(id) ?? null }
    : client
}

export type TemplateQuery = Static<typeof TemplateQuery>
export const TemplateQuery = Type.Object({
  clientId: Type.Optional(Id),
  deviseId: Type.Optional(DeviceId),
  ...DetailsQuery.properties,
})

export type NewTemplateBody = Static<typeof NewTemplateBody>
export const NewTemplateBody = Type.Object(
  {
    clientId: Type.Union([Id, Type.Null()], {
      description:
        'client with role DEVISE; null: a template for any device, which lists show with details=true only',
    }),
    description: Maybe(TextLike('pump in the cellar', { ...DESCRIPTION, notBlank: true })),
    command: TextLike('start', { minLength: 1, maxLength: 255 }),
    deliveryGuarantee: Maybe(Choice(GUARANTEES)),
    data: Maybe(MESSAGE_FIELDS.data.schema),
    ...TEMPLATE_TERMS,
    details: BodyDetails,
  },
  { title: 'NewTemplate' },
)

export type SendOptions = Static<typeof SendOptions>
export const SendOptions = Type.Object(
  { idempotencyKey: Maybe(IdempotencyKey), details: BodyDetails },
  { title: 'SendOptions' },
)

const MAX_DEVICES = 500

export const DeviceIds = Type.Array(DeviceId, { minItems: 1, maxItems: MAX_DEVICES })

export type TemplateSendOptions = Static<typeof TemplateSendOptions>
export const TemplateSendOptions = Type.Object(
  { deviceIds: DeviceIds, idempotencyKey: Maybe(IdempotencyKey) },
  { title: 'TemplateSendOptions' },
)

function templateText(template: Template, details: boolean): string {
  const { data, id, clientId, deviceId, description, command, guarantee } = template
  const head = { id, clientId, deviseId: deviceId, description, command, deliveryGuarantee: guarantee }
  const terms = JSON.stringify(templateTermsOf(template)).slice(1, -1)
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}${details ? `,${terms}` : ''}}`
}

export function toTemplateAnswer(template: Template, details = false): RawJson {
  return new RawJson(templateText(template, details))
}

export function toTemplateAnswers(templates: readonly Template[], details = false): RawJson {
  return new RawJson(`[${templates.map((template) => templateText(template, details)).join(',')}]`)
}

/** Maximum rows of a page. A request for more gets this number. */
export const MAX_ROWS = 500
export const LIMIT = {
  minimum: 1,
  default: 200,
  description: `maximum rows of a page; values above ${MAX_ROWS} mean ${MAX_ROWS}`,
}
export const Limit = Type.Integer(LIMIT)
/** Time in milliseconds since 1970. */
export const QueryTime = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  examples: Time.examples,
})

export type ResendOptions = Static<typeof ResendOptions>
export const ResendOptions = Type.Object(
  {
    force: Type.Boolean({
      default: false,
      description: 'true sends the command again although the message is still pending',
    }),
    ...SendOptions.properties,
  },
  { title: 'ResendOptions' },
)

export type ReplaySelection = Static<typeof ReplaySelection>
export const ReplaySelection = Type.Object(
  {
    deviseId: Maybe(DeviceId),
    command: Maybe(PRODUCER_FIELDS.command),
    from: Maybe(QueryTime),
    to: Maybe(QueryTime),
    limit: Maybe(Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: `default: ${MAX_ROWS}` })),
  },
  { title: 'ReplaySelection' },
)

/** Settings of a device by wire name. */
export type DeviceSettingsBody = Readonly<Record<string, DeviceSettings[keyof DeviceSettings]>>
export const DeviceSettingsBody = Type.Object(
  Object.fromEntries(
    DEVICE_SETTING_LIST.map(([, { wireName, schema, unit, meaning, general }]) => {
      const description = `${meaning}${unit === undefined ? '' : `, in ${unit}`}; null: ${general ?? 'none'}`
      return [wireName, Type.Optional(Type.Union([schema, Type.Null()], { description }))]
    }),
  ),
  // The request replaces all settings. If unknown names were ignored, a misspelt name would silently reset a setting.
  { title: 'NewDeviceSettings', additionalProperties: false },
)

/**
 * Returns all settings. An omitted setting is null, which is the general value.
 *
 * @throws {BrokerError} bad-terms
 */
export function toDeviceSettings(members: DeviceSettingsBody): DeviceSettings {
  const values = DEVICE_SETTING_LIST.map(([name, { wireName }]) => [name, members[wireName] ?? null])
  const settings = Object.fromEntries(values) as DeviceSettings
  checkSettings(settings)
  return settings
}

/** Returns all settings. An omitted setting is null, which is the general value. */
export function toDeviceSettingsAnswer(settings: DeviceSettings): DeviceSettingsBody {
  return Object.fromEntries(DEVICE_SETTING_LIST.map(([name, { wireName }]) => [wireName, settings[name]]))
}
