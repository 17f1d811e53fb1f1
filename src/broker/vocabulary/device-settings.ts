/**
 * Describes the settings of a device once: names, columns, schemas, meanings. The storage, the admin API, its
 * description and the command line derive from this table. docs: CONTRIBUTING.md, "Adding a setting of a device".
 */
import { Choice, type Static, type TSchema, Type } from '../../web/schema.ts'
import type { StoredValue } from './message.ts'

interface DeviceSetting {
  /** Wire name, from which the command-line flag is derived. */
  readonly wireName: string
  readonly column: string
  /** Schema of a non-null value. */
  readonly schema: TSchema & { readonly static: StoredValue | boolean }
  readonly unit?: string
  readonly meaning: string
  /** Name of the general setting for devices without their own value; null without one. */
  readonly general: string | null
}

export const DEVICE_SETTINGS = {
  sendMessagePeriodMs: {
    wireName: 'sendMessagePeriod',
    column: 'send_message_period_ms',
    schema: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
    unit: 'ms',
    meaning: 'least time between two commands for the device; polls are paced only by the own value',
    general: 'COMMON_SEND_MESSAGE_PERIOD',
  },
  maxAttempts: {
    wireName: 'maxAttempts',
    column: 'max_attempts',
    schema: Type.Integer({ minimum: 0, maximum: 100 }),
    unit: 'attempts',
    meaning: 'attempts before a message is parked; 0: without end',
    general: 'COMMON_MAX_ATTEMPTS',
  },
  validSeconds: {
    wireName: 'validSeconds',
    column: 'valid_seconds',
    schema: Type.Integer({ minimum: 1, maximum: 31_536_000 }),
    unit: 's',
    meaning: 'time for which a message without a validity of its own is dispatched',
    general: 'WAYBILL_VALID_SECONDS',
  },
  finishSeconds: {
    wireName: 'finishSeconds',
    column: 'finish_seconds',
    schema: Type.Integer({ minimum: 1, maximum: 31_536_000 }),
    unit: 's',
    meaning: 'time from DELIVERED to a final status, for a message without a value of its own',
    general: null,
  },
  nextAfter: {
    wireName: 'nextAfter',
    column: 'next_after',
    schema: Choice(['DELIVERED', 'COMPLETED'], { title: 'NextAfter' }),
    meaning: 'status of a command after which the next one is dispatched; COMPLETED needs finishSeconds',
    general: null,
  },
  details: {
    wireName: 'details',
    column: 'details',
    schema: Type.Boolean(),
    meaning: 'delivered messages carry attempt, remainingSeconds and finishSeconds',
    general: null,
  },
  queueLimit: {
    wireName: 'queueLimit',
    column: 'queue_limit',
    schema: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    unit: 'messages',
    meaning: 'maximum pending messages',
    general: 'WAYBILL_QUEUE_LIMIT',
  },
  queueBytes: {
    wireName: 'queueBytes',
    column: 'queue_bytes',
    schema: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    unit: 'bytes',
    meaning: 'maximum bytes of command and data of all pending messages; 0: no limit',
    general: 'WAYBILL_QUEUE_BYTES',
  },
  maxBytes: {
    wireName: 'maxBytes',
    column: 'max_bytes',
    schema: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    unit: 'bytes',
    meaning: 'maximum bytes of command and data of one message; a larger submit is refused',
    general: null,
  },
  expectedSeconds: {
    wireName: 'expectedSeconds',
    column: 'expected_seconds',
    schema: Type.Integer({ minimum: 0, maximum: 31_536_000 }),
    unit: 's',
    meaning: 'alert DEVICE_SILENT when the device was not seen for this time; 0: never',
    general: 'WAYBILL_EXPECTED_SECONDS',
  },
} satisfies Record<string, DeviceSetting>

type SettingName = keyof typeof DEVICE_SETTINGS

/** Values of one device. Null selects the general value. */
export type DeviceSettings = {
  readonly [Name in SettingName]: Static<(typeof DEVICE_SETTINGS)[Name]['schema']> | null
}

/** Settings in the order of the table, with their names. */
export const DEVICE_SETTING_LIST = Object.entries(DEVICE_SETTINGS) as readonly (readonly [
  name: SettingName,
  setting: DeviceSetting,
])[]

/** Settings of a device without its own values. */
export const GENERAL_SETTINGS = Object.fromEntries(
  DEVICE_SETTING_LIST.map(([name]) => [name, null]),
) as DeviceSettings
