/** Reads and writes the file of saved contexts. Knows no command. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXIT, Exit } from '../process/exit.ts'

/** A server and a login, saved under a name. */
export interface SavedContext {
  readonly url: string
  readonly user?: string
  readonly password?: string
  readonly token?: string
  /** Absolute path of a PEM file. */
  readonly cacert?: string
  readonly insecure?: true
}

export interface SavedContexts {
  /** Name of the context that commands use by default. */
  readonly selected?: string
  readonly contexts: Readonly<Record<string, SavedContext>>
}

/** Names need no quotes in any shell. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const MEMBERS: Readonly<Record<keyof SavedContext, string>> = {
  url: 'string',
  user: 'string',
  password: 'string',
  token: 'string',
  cacert: 'string',
  insecure: 'boolean',
}

/** Returns the path of the file, in the configuration directory of the user. @throws {Exit} */
export function contextPath(
  env: NodeJS.ProcessEnv = process.env,
  platform: string = process.platform,
): string {
  const base = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME
  return join(base || join(home(), '.config'), 'waybill', 'contexts.json')
}

function home(): string {
  try {
    return homedir()
  } catch {
    throw new Exit(
      EXIT.failure,
      'this user has no home directory: set XDG_CONFIG_HOME to a directory for saved contexts',
    )
  }
}

/** Returns the saved contexts; none without a file. @throws {Exit} for an unusable file */
export function readContexts(path: string): SavedContexts {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { contexts: {} }
    throw new Exit(EXIT.configuration, `${path} cannot be read: ${code ?? message}`)
  }
  const found = parsed(text)
  if (found !== null) return found
  throw new Exit(EXIT.configuration, `${path} does not hold contexts: correct the file, or remove it`)
}

/** Parses saved contexts; null for any other text. */
function parsed(text: string): SavedContexts | null {
  let value: { selected?: unknown; contexts?: unknown } | null
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const { selected, contexts } = value ?? {}
  if (typeof contexts !== 'object' || contexts === null || !Object.values(contexts).every(isContext))
    return null
  const byName = contexts as Record<string, SavedContext>
  return { contexts: byName, ...(typeof selected === 'string' && { selected }) }
}

function isContext(value: unknown): value is SavedContext {
  if (typeof value !== 'object' || value === null) return false
  const members = value as Record<string, unknown>
  const isTyped = Object.entries(MEMBERS).every(([name, type]) => {
    return members[name] === undefined || typeof members[name] === type
  })
  return isTyped && typeof members.url === 'string'
}

/** Replaces the file. Only its owner may read it, because it has passwords. @throws {Exit} */
export function writeContexts(path: string, saved: SavedContexts): void {
  // The new file gets its mode before its content, and replaces the old file atomically.
  const next = `${path}.${process.pid}.new`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(next, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600, flag: 'w' })
    chmodSync(next, 0o600)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    const { code, message } = error as NodeJS.ErrnoException
    throw new Exit(
      EXIT.failure,
      `${path} cannot be written: ${code ?? message}. Set XDG_CONFIG_HOME to a directory that you may write`,
    )
  }
}

/** Returns a valid context name unchanged. @throws {Exit} */
export function contextName(name: string): string {
  if (NAME.test(name)) return name
  throw new Exit(
    EXIT.usage,
    `"${name}" is not a valid name for a context: use 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit`,
  )
}

export function contextNamed({ contexts }: SavedContexts, name: string): SavedContext | null {
  return Object.hasOwn(contexts, name) ? (contexts[name] as SavedContext) : null
}

/** Returns a sentence that lists the saved contexts. */
export function savedNames({ contexts }: SavedContexts): string {
  const names = Object.keys(contexts)
  return names.length === 0
    ? 'No context is saved: "waybill context add" saves one.'
    : `Saved: ${names.join(', ')}.`
}
