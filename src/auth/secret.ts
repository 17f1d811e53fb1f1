/** The signing secret of an installation that was given none: made once, kept in the data directory. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'
import { MIN_SECRET_BYTES } from './token.ts'

const FILE = 'jwt-secret'

/** @throws {StartError} when the file that should hold it is damaged or cannot be read */
export function ensureSecret(
  directory: string,
  log: { info(fields: object, message: string): void },
): string {
  const path = join(directory, FILE)
  const secret = randomBytes(48).toString('base64url')
  try {
    writeFileSync(path, secret, { flag: 'wx', mode: 0o600, flush: true })
    log.info({ path }, `JWT_SECRET is not set: a secret was made and is kept in ${path}`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const kept = readFileSync(path, 'utf8').trim()
  if (Buffer.byteLength(kept) < MIN_SECRET_BYTES) {
    throw new StartError(`${path} holds no usable secret: delete it (all tokens end then), or set JWT_SECRET`)
  }
  log.info({ path }, `JWT_SECRET is not set: the secret in ${path} is used`)
  return kept
}
