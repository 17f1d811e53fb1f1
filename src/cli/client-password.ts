/** `waybill client password`: sets the password of a client in the storage, without a server. */
import { randomBytes } from 'node:crypto'
import type { Command, Option } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'

interface StorePlace {
  readonly dataDir: string
  readonly store: string | null
}

export interface PasswordCommandContext {
  readonly out: (text: string) => void
  readonly options: readonly Option[]
  /** Returns the settings from flags, variables and file. @throws {ConfigError} */
  readonly settings: (flags: Flags) => StorePlace
}

type Flags = Readonly<Record<string, unknown>> & { readonly newPassword?: string; readonly json?: true }

/** Adds the command to `waybill client`, whose other commands call a server. */
export function addClientPassword(
  clients: Command,
  { out, options, settings }: PasswordCommandContext,
): void {
  const command = clients
    .command('password <deviseId>')
    .description(
      'set the password of a client in the storage, if it is lost; the server must be stopped, unless it uses PostgreSQL. Without --new-password the password is random and printed',
    )
    .option('--new-password <password>', 'the new password')
    .option('--json', 'print the result as a line of JSON')
    .action(async (deviseId: string, flags: Flags) => {
      const { newPassword, json } = flags
      if (newPassword === '')
        throw new Exit(EXIT.usage, '--new-password is empty: give a password, or leave it out')
      const password = newPassword ?? randomBytes(15).toString('base64url')
      const id = await reset(settings(flags), deviseId, password)
      const shown = newPassword === undefined ? { password } : {}
      const text = `${id} ${deviseId} password ${newPassword === undefined ? password : 'changed'}`
      out(`${json ? JSON.stringify({ id, deviseId, ...shown }) : text}\n`)
    })
  for (const option of options) command.addOption(option)
  addExamples(command, ['client password admin', 'client password admin --data-dir /var/lib/waybill'])
}

async function reset(where: StorePlace, deviseId: string, password: string): Promise<number> {
  // Imported on demand, so that other commands need not load the modules of clients and storage.
  const { NoSuchClient, resetPassword } = await import('../app/reset-password.ts')
  const { AccountError } = await import('../auth/errors.ts')
  try {
    return (await resetPassword(where, deviseId, password)).id
  } catch (error) {
    if (error instanceof NoSuchClient) throw new Exit(EXIT.notFound, error.message)
    throw error instanceof AccountError ? new Exit(EXIT.failure, error.message) : error
  }
}
