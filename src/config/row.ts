/** Defines the shape of a row in the table of settings. Knows no row. */
import { type Static, type TSchema, Type } from '../web/schema.ts'

export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ minimum, maximum })

export interface Setting<Name extends string = string, Schema extends TSchema = TSchema, Default = unknown> {
  readonly name: Name
  /** Property in the configuration file, dots for nesting. */
  readonly key: string
  readonly env?: string
  readonly flag?: string
  readonly schema: Schema
  readonly default: Default
  /** Default in prose, for a value that does not explain itself. */
  readonly defaultText?: string
  readonly unit?: string
  /** Separator of a list in the environment. Default: the separator of PATH. */
  readonly separator?: string
  readonly meaning: string
  /** True for a value that is never shown. */
  readonly secret?: true
  /** True if all nodes that share a database must have the same value. */
  readonly agreed?: true
  /**
   * Marks an address where the server listens. Returns its host, or null if it is off. The server refuses to start with
   * access checks off on a host that is not loopback.
   */
  listens?(value: Static<Schema>): string | null
  /** Checks a condition beyond the schema. Returns the problem, or null. */
  rule?(value: Static<Schema>): string | null
}

/** Returns the row unchanged. The compiler checks that its default and its rule match its schema. */
export function row<const Name extends string, Schema extends TSchema, Default extends Static<Schema> | null>(
  setting: Setting<Name, Schema, Default>,
): Setting<Name, Schema, Default> {
  return setting
}
