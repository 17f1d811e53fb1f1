/** Derives the types of the settings from their table. A new row becomes a new member. */
import type { Static } from '../web/schema.ts'
import type { SETTINGS } from './table.ts'
import type { UnknownVariable } from './unknown-variables.ts'

type Row = (typeof SETTINGS)[number]
type Value<R extends Row> = Frozen<Static<R['schema']>> | (R['default'] extends null ? null : never)
type Frozen<T> = T extends readonly (infer Item)[] ? readonly Item[] : T

export type Values = { readonly [R in Row as R['name']]: Value<R> }

/** Sources of a value, weakest first. */
export const ORIGINS = ['DEFAULT', 'FILE', 'ENVIRONMENT', 'FLAG'] as const
export type Origin = (typeof ORIGINS)[number]

export interface Settings extends Values {
  /** Environment variables that look like settings but are not. */
  readonly unknownVariables: readonly UnknownVariable[]
  readonly origins: Readonly<Record<keyof Values, Origin>>
}
