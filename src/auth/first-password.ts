/**
 * Keeps the random password of the first admin until its first login, so that each start before it can print the password.
 * The file `jwt-secret` beside it gives its readers the same rights.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'first-password'

/** Credentials of the first admin. */
export interface FirstPassword {
  readonly deviceId: string
  readonly password: string
}

/** File in the data directory that this process has locked. */
export class FirstPasswordFile {
  readonly #path: string

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE)
  }

  /** Returns the credentials in the file; null when there is none, or it is damaged. */
  read(): FirstPassword | null {
    try {
      const { deviceId, password } = JSON.parse(readFileSync(this.#path, 'utf8'))
      return typeof deviceId === 'string' && typeof password === 'string' ? { deviceId, password } : null
    } catch {
      return null
    }
  }

  /** Writes the file under another name and renames it, so that a crash leaves no half file. */
  write(credentials: FirstPassword): void {
    const draft = `${this.#path}.new`
    writeFileSync(draft, `${JSON.stringify(credentials)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, this.#path)
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }
}
