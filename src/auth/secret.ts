/** The signing secret of an installation that was given none: made once, kept in the data directory. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../process/start-error.ts'
import { MIN_SECRET_BYTES } from './token.ts'

const FILE = 'jwt-secret'

/**
 * @param directory held by this process alone
 * @throws {StartError} when the file that should hold it is damaged, or cannot be read or written
 */
export function ensureSecret(
  directory: string,
  log: { info(fields: object, message: string): void },
): string {
  const path = join(directory, FILE)
  try {
    const isNew = !existsSync(path)
    if (isNew) make(path)
    const secret = readFileSync(path, 'utf8').trim()
    if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
      throw new StartError(
        `${path} holds no usable secret: delete it (all tokens end then), or set JWT_SECRET`,
      )
    }
    const origin = isNew ? `a secret was made and is kept in ${path}` : `the secret in ${path} is used`
    log.info({ path }, `JWT_SECRET is not set: ${origin}`)
    return secret
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason = (error as Error).message
    throw new StartError(
      `${path} cannot be used (${reason}): free some space or check the disk, or set JWT_SECRET`,
      error,
    )
  }
}

/** Gives it its name when it is whole: neither a full disk nor a crash leaves half a secret there. */
function make(path: string): void {
  const draft = `${path}.new`
  writeFileSync(draft, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true })
  renameSync(draft, path)
}
