/**
 * Describes the settings of a device once: names, columns, schemas, meanings. The storage, the admin API, its description
 * and the command line follow from this table. docs: CONTRIBUTING.md, "Adding a setting of a device".
 */
import { type Static, type TSchema, Type } from '../web/schema.ts'
import type { StoredValue } from './message.ts'

interface DeviceSetting {
  /** Name on the wire, from which the flag of the command line follows. */
  readonly wireName: string
  readonly column: string
  /** Schema of a value that is not null. */
  readonly schema: TSchema & { readonly static: StoredValue }
  readonly unit?: string
  readonly meaning: string
  /** Name of the general setting, which applies to a device without a value of its own. */
  readonly general: string
}

/** The table of the settings. */
export const DEVICE_SETTINGS = {
  sendMessagePeriodMs: {
    wireName: 'sendMessagePeriod',
    column: 'send_message_period_ms',
    schema: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
    unit: 'ms',
    meaning: 'least time between two commands that are published to the device',
    general: 'COMMON_SEND_MESSAGE_PERIOD',
  },
} satisfies Record<string, DeviceSetting>

type SettingName = keyof typeof DEVICE_SETTINGS

/** The values of one device. Null stands for the general value. */
export type DeviceSettings = {
  readonly [Name in SettingName]: Static<(typeof DEVICE_SETTINGS)[Name]['schema']> | null
}

/** The settings in the order of the table, by name. */
export const DEVICE_SETTING_LIST = Object.entries(DEVICE_SETTINGS) as readonly (readonly [
  name: SettingName,
  setting: DeviceSetting,
])[]

/** The settings of a device without values of its own. */
export const GENERAL_SETTINGS = Object.fromEntries(
  DEVICE_SETTING_LIST.map(([name]) => [name, null]),
) as DeviceSettings
