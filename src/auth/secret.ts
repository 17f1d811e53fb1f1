/** Creates the signing secret of an installation without JWT_SECRET. It is a file in the data directory. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../process/log.ts'
import { PermanentStartError, StartError, startErrorFor } from '../process/start-error.ts'
import { MIN_SECRET_BYTES } from './token.ts'

const FILE = 'jwt-secret'

/**
 * Returns the secret of a data directory; the first call creates it.
 *
 * @param directory data directory that this process has locked
 * @throws {StartError} when the secret file is damaged, or cannot be read or written
 */
export function ensureSecret(directory: string, log: Pick<Log, 'debug'>): string {
  const path = join(directory, FILE)
  try {
    const isNew = !existsSync(path)
    if (isNew) createSecret(path)
    const secret = readFileSync(path, 'utf8').trim()
    if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
      throw new PermanentStartError(
        `${path} has no valid secret: delete the file, which ends all tokens, or set JWT_SECRET`,
      )
    }
    const origin = isNew ? `a secret was created and is kept in ${path}` : `the secret in ${path} is used`
    log.debug({ path }, `JWT_SECRET is not set: ${origin}`)
    return secret
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason = (error as Error).message
    throw startErrorFor(
      error,
      `${path} cannot be used (${reason}): free some space or check the disk, or set JWT_SECRET`,
    )
  }
}

export function newSecret(): string {
  return randomBytes(48).toString('base64url')
}

/** Writes a secret under another name and renames it, so that a full disk or a crash leaves no partial secret. */
function createSecret(path: string): void {
  const draft = `${path}.new`
  writeFileSync(draft, newSecret(), { mode: 0o600, flush: true })
  renameSync(draft, path)
}
