/** Defines the shape of a row in the table of settings. Knows no row. */
import { type Static, type TSchema, Type } from '../web/schema.ts'

/** Returns the schema of an integer. */
export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ minimum, maximum })

export interface Setting<Name extends string = string, Schema extends TSchema = TSchema, Default = unknown> {
  readonly name: Name
  /** Property in the configuration file, dots for nesting. */
  readonly key: string
  readonly env?: string
  /** Flag as `--help` shows it. */
  readonly flag?: string
  readonly schema: Schema
  readonly default: Default
  /** Default in words, for a value that does not explain itself. */
  readonly defaultText?: string
  readonly unit?: string
  /** Separator of a list in the environment; by default the separator of PATH. */
  readonly separator?: string
  readonly meaning: string
  /** True: the value is never shown. */
  readonly secret?: true
  /** True: all nodes that share a database must have the same value. */
  readonly agreed?: true
  /**
   * Marks an address where the server listens. Returns its host, or null when nothing listens there. The server does not
   * start with access checks off on a host that is not loopback.
   */
  listens?(value: Static<Schema>): string | null
  /** Checks a condition that no schema can express. Returns the problem, or null. */
  rule?(value: Static<Schema>): string | null
}

/** Returns the row as it is. The compiler checks that its default and its rule fit its schema. */
export function row<const Name extends string, Schema extends TSchema, Default extends Static<Schema> | null>(
  setting: Setting<Name, Schema, Default>,
): Setting<Name, Schema, Default> {
  return setting
}
