/**
 * Stores the random password of the first admin until its first login, so that each earlier start can log it. The file
 * `jwt-secret` beside it gives its readers the same rights.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'first-password'

export interface FirstPassword {
  readonly deviceId: string
  readonly password: string
}

export interface FirstPasswords {
  /** Location of the password, for the message that it cannot be removed. */
  readonly place: string

  /** Returns the credentials; null if they are missing or damaged. */
  read(): FirstPassword | null | Promise<FirstPassword | null>

  create(deviceId: string): FirstPassword | Promise<FirstPassword>

  remove(): void | Promise<void>
}

/** Password file in the data directory that this process has locked. */
export class FirstPasswordFile implements FirstPasswords {
  readonly place = 'the file first-password in the data directory'
  readonly #path: string

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE)
  }

  read(): FirstPassword | null {
    try {
      const { deviceId, password } = JSON.parse(readFileSync(this.#path, 'utf8'))
      return typeof deviceId === 'string' && typeof password === 'string' ? { deviceId, password } : null
    } catch {
      return null
    }
  }

  /** Writes the file under another name and renames it, so that a crash leaves no partial file. */
  create(deviceId: string): FirstPassword {
    const credentials = { deviceId, password: randomBytes(15).toString('base64url') }
    const draft = `${this.#path}.new`
    writeFileSync(draft, `${JSON.stringify(credentials)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, this.#path)
    return credentials
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }
}
