/**
 * Stores the random password of the first admin for all nodes on one database, so that each of them can log it until
 * the first login. The database holds a salt: the password is derived from the salt and the secret that signs tokens,
 * whose readers can sign in as anyone. A reader of the database without the secret therefore learns no password.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { FirstPassword, FirstPasswords } from './first-password.ts'

const NAME = 'first-password'
const BYTES = 15

interface Values {
  get(name: string): Promise<string | null>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
}

export class SharedFirstPassword implements FirstPasswords {
  readonly place = 'the row first-password of the table settings'
  readonly #values: Values
  readonly #secret: string

  constructor(values: Values, secret: string) {
    this.#values = values
    this.#secret = secret
  }

  async read(): Promise<FirstPassword | null> {
    const [salt, deviceId] = JSON.parse((await this.#values.get(NAME)) ?? '[]') as [string?, string?]
    return salt === undefined || deviceId === undefined ? null : this.#of(salt, deviceId)
  }

  async create(deviceId: string): Promise<FirstPassword> {
    const salt = randomBytes(BYTES).toString('base64url')
    await this.#values.set(NAME, JSON.stringify([salt, deviceId]))
    return this.#of(salt, deviceId)
  }

  remove(): Promise<void> {
    return this.#values.remove(NAME)
  }

  #of(salt: string, deviceId: string): FirstPassword {
    const bytes = createHmac('sha256', this.#secret)
      .update(JSON.stringify([NAME, salt, deviceId]))
      .digest()
    return { deviceId, password: bytes.subarray(0, BYTES).toString('base64url') }
  }
}
