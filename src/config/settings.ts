/** What the settings are called and what shape they have. Types, and nothing of their values. */
import type { TSchema } from '../web/schema.ts'

/** What the table says, value by value. */
export interface Values {
  readonly address: string
  readonly port: number
  readonly adapter: 'node' | 'uws'
  readonly bodyLimit: number
  /** Empty: the default applies. */
  readonly prefixes: readonly string[]
  readonly watch: boolean
  readonly dataDir: string
  readonly mqttAddress: string
  readonly mqttExtraTopics: readonly string[]
  readonly mqttQos: 0 | 1 | 2
  readonly sendMessagePeriodMs: number
  readonly responseTimeoutMs: number
  readonly tlsCert: string | null
  readonly tlsKey: string | null
  readonly jwtSecret: string | null
  readonly jwtExpirationMs: number
  readonly permitAll: boolean
  readonly permitAllExposed: boolean
  readonly ownQueueOnly: boolean
  readonly adminId: string
  readonly adminPassword: string | null
  readonly queueLimit: number
  readonly historyDays: number
  readonly logLevel: string
}

/** Which source gave a value. */
export const ORIGINS = ['DEFAULT', 'FILE', 'ENVIRONMENT', 'FLAG'] as const
export type Origin = (typeof ORIGINS)[number]

export interface Settings extends Values {
  readonly origins: Readonly<Record<keyof Values, Origin>>
}

/** A row of the table. */
export interface Setting {
  readonly name: keyof Values
  /** The property in the configuration file, dots for nesting. */
  readonly key: string
  readonly env?: string
  /** The flag as `--help` shows it. */
  readonly flag?: string
  readonly schema: TSchema
  readonly default: unknown
  /** The default in words, where the value does not say it. */
  readonly defaultText?: string
  readonly unit?: string
  /** Between the items of a list in the environment; by default what PATH has. */
  readonly separator?: string
  readonly meaning: string
  /** Never shown. */
  readonly secret?: true
  /** A rule that no schema can say: what is wrong, or null. */
  readonly rule?: (value: never) => string | null
}
