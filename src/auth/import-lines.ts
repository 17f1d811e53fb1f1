/** Checks the lines of an import against the clients, without changes. Knows no CSV and no HTTP. */
import { randomInt } from 'node:crypto'
import type { ClientList } from './client-list.ts'
import type { ClientRecord, Role } from './clients.ts'
import { paddingProblem } from './device-id.ts'
import { hasNul, isTooLong, MAX_PASSWORD_BYTES } from './password.ts'
import { ACCEPTED_COSTS, isPasswordHash, refusedCostOf, toStoredHash } from './password-hash.ts'

/** Values for one client. Omitted members keep their values, or the defaults of a new client. */
export interface ImportEntry {
  readonly deviceId: string
  /** Password; or a bcrypt hash, for a new client or equal to the existing client's hash. */
  readonly password?: string | undefined
  /** True for a password chosen by the server, for a new client only. */
  readonly isGenerated?: boolean | undefined
  readonly role?: Role | undefined
  readonly description?: string | undefined
  readonly devices?: readonly string[] | undefined
  readonly ownQueueOnly?: boolean | undefined
}

/** Reason why a line changes nothing. */
export interface LineProblem {
  /** Code of {@link IMPORT_PROBLEMS}, or of an error. */
  readonly code: string
  readonly message: string
  readonly params?: Readonly<Record<string, string | number | null>> | undefined
}

/** Line of a list: its entry, or the reason why it is unreadable. */
export type ImportLine =
  | { readonly line: number; readonly entry: ImportEntry }
  | { readonly line: number; readonly deviceId: string | null; readonly problem: LineProblem }

/** Codes of the problems specific to lines of an import, with the names of their params. */
export const IMPORT_PROBLEMS = {
  'bad-cell-count': ['cells', 'expected'],
  'repeated-id': [],
  'password-missing': [],
  'other-hash': [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Codes of the warnings about accepted lines, with the names of their params. */
export const IMPORT_WARNINGS = {
  'rounded-id': [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Matches a long number in the notation of spreadsheets: 8.61234E+14, or 8,61234E+14. */
const ROUNDED_NUMBER = /^\d([.,]\d+)?E\+\d+$/i

/** Returns a warning if the id of a new client is probably wrong, else null. */
export function findWarning(newDeviceId: string): LineProblem | null {
  if (!ROUNDED_NUMBER.test(newDeviceId)) return null
  const message =
    'The deviseId looks like a long number that a spreadsheet has rounded. Format its column as text, enter the ids again, then save the file.'
  return { code: 'rounded-id' satisfies keyof typeof IMPORT_WARNINGS, message }
}

export type LineEffect = 'created' | 'changed' | 'unchanged'

/** Checks the lines of one list in order. */
export class ImportCheck {
  readonly #clients: ClientList
  readonly #seen = new Set<string>()

  constructor(clients: ClientList) {
    this.#clients = clients
  }

  /** Returns why a line cannot apply; null for a valid line. */
  findProblem(line: ImportLine): LineProblem | null {
    if ('problem' in line) return line.problem
    const { deviceId, password } = line.entry
    if (this.#seen.has(deviceId))
      return problem('repeated-id', 'An earlier line has this deviseId. Remove one of the lines.')
    this.#seen.add(deviceId)
    const before = this.#clients.byDevice(deviceId)
    const padding = before ? null : paddingProblem(deviceId)
    if (padding !== null)
      return { code: 'padded-device-id', message: padding, params: { deviseId: deviceId } }
    if (password === undefined)
      return before ? null : problem('password-missing', 'A new client needs a password.')
    if (isPasswordHash(password)) return findHashProblem(password, before)
    if (hasNul(password))
      return { code: 'password-has-nul', message: 'The password has a NUL (U+0000). Choose another.' }
    if (!isTooLong(password)) return null
    const message = `The password has more than ${MAX_PASSWORD_BYTES} bytes of UTF-8. Choose a shorter one.`
    return { code: 'password-too-long', message, params: { maximum: MAX_PASSWORD_BYTES } }
  }
}

/** Returns the effect of an entry. A password counts as a change; a hash does not. */
export function effectOf(entry: ImportEntry, before: ClientRecord | undefined): LineEffect {
  if (!before) return 'created'
  const hasPassword = entry.password !== undefined && !isPasswordHash(entry.password)
  return hasPassword || differs(before, entry) ? 'changed' : 'unchanged'
}

export function differs(
  before: ClientRecord,
  { role, description, devices, ownQueueOnly }: ImportEntry,
): boolean {
  return (
    (role ?? before.role) !== before.role ||
    (description ?? before.description) !== before.description ||
    (devices ?? before.devices).join(' ') !== before.devices.join(' ') ||
    (ownQueueOnly ?? before.ownQueueOnly) !== before.ownQueueOnly
  )
}

/** Letters and digits without look-alikes. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const PASSWORD_LENGTH = 20

/** Adds a random password to each line of a new client without one. */
export function withPasswords(lines: readonly ImportLine[], clients: ClientList): ImportLine[] {
  return lines.map((line) => {
    if ('problem' in line || line.entry.password !== undefined) return line
    if (clients.byDevice(line.entry.deviceId)) return line
    return { line: line.line, entry: { ...line.entry, password: randomPassword(), isGenerated: true } }
  })
}

function randomPassword(): string {
  return Array.from({ length: PASSWORD_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

function problem(code: keyof typeof IMPORT_PROBLEMS, message: string): LineProblem {
  return { code, message }
}

function findHashProblem(hash: string, before: ClientRecord | undefined): LineProblem | null {
  if (before) {
    return before.passwordHash === toStoredHash(hash)
      ? null
      : problem(
          'other-hash',
          'The client exists with another password, and only a new client may have a bcrypt hash. Give the password itself, or leave the cell empty.',
        )
  }
  const cost = refusedCostOf(hash)
  if (cost === null) return null
  const message = `The password is a bcrypt hash of cost ${cost}. Use a hash of cost ${ACCEPTED_COSTS}, or the password itself.`
  return { code: 'password-hash-cost', message, params: { cost, accepted: ACCEPTED_COSTS } }
}
