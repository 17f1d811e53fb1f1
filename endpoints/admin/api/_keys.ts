/** Schemas of API keys, and the conversion of their answers. Not a route. */
import type { KeyRecord } from '../../../src/auth/api-keys.ts'
import { Maybe, type Static, Type } from '../../../src/web/schema.ts'
import { Nullable, TextLike, Time } from '../../_schemas.ts'
import { Id } from './_schemas.ts'

const Description = TextLike('metrics of the plant', { maxLength: 4096 })

export type NewKeyBody = Static<typeof NewKeyBody>
export const NewKeyBody = Type.Object(
  {
    description: Maybe(Description),
    expiresDate: Maybe(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'time from which on the key is invalid, in the future; by default never',
        examples: Time.examples,
      }),
    ),
  },
  { title: 'NewApiKey' },
)

const KEY_MEMBERS = {
  description: Description,
  createdDate: Time,
  lastUsedDate: Nullable(Time),
  expiresDate: Nullable(Time),
}

export const KeyAnswer = Type.Object({ id: Id, ...KEY_MEMBERS }, { title: 'ApiKey' })

export const CreatedKeyAnswer = Type.Object(
  { id: Id, key: TextLike('wbk_1_y2cO3VvJm0Zl8pQ4tX7nB5rD9sK1wE6hA0gU3iF2oL8'), ...KEY_MEMBERS },
  { title: 'CreatedApiKey' },
)

export function toKeyAnswer({ id, ...key }: KeyRecord) {
  return { id, ...membersOf(key) }
}

/** Returns a new key with its text, which no other answer has. */
export function toCreatedKeyAnswer(key: string, { id, ...record }: KeyRecord) {
  return { id, key, ...membersOf(record) }
}

function membersOf({ description, createdAtMs, lastUsedAtMs, expiresAtMs }: Omit<KeyRecord, 'id'>) {
  return { description, createdDate: createdAtMs, lastUsedDate: lastUsedAtMs, expiresDate: expiresAtMs }
}
