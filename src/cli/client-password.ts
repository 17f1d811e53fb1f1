/** `waybill client password`: sets the password of a client in the data directory, without a server. */
import { randomBytes } from 'node:crypto'
import type { Command, Option } from 'commander'
import { addExamples } from './examples.ts'
import { EXIT, Exit } from './exit.ts'

/** Parts of the command line that the command uses. */
export interface PasswordCommandContext {
  readonly out: (text: string) => void
  readonly options: readonly Option[]
  /** Returns the data directory from flag, variable or file. @throws {ConfigError} */
  readonly dataDir: (flags: Flags) => string
}

type Flags = Readonly<Record<string, unknown>> & { readonly newPassword?: string; readonly json?: true }

/** Adds the command to `waybill client`, whose other commands call a server. */
export function addClientPassword(clients: Command, { out, options, dataDir }: PasswordCommandContext): void {
  const command = clients
    .command('password <deviseId>')
    .description(
      'set the password of a client in the data directory, if it is lost; the server must be stopped. Without --new-password the password is random and printed',
    )
    .option('--new-password <password>', 'the new password')
    .option('--json', 'print the result as a line of JSON')
    .action(async (deviseId: string, flags: Flags) => {
      const { newPassword, json } = flags
      if (newPassword === '')
        throw new Exit(EXIT.usage, '--new-password is empty: give a password, or leave it out')
      const password = newPassword ?? randomBytes(15).toString('base64url')
      const id = await reset(dataDir(flags), deviseId, password)
      const shown = newPassword === undefined ? { password } : {}
      const text = `${id} ${deviseId} password ${newPassword === undefined ? password : 'changed'}`
      out(`${json ? JSON.stringify({ id, deviseId, ...shown }) : text}\n`)
    })
  for (const option of options) command.addOption(option)
  addExamples(command, ['client password admin', 'client password admin --data-dir /var/lib/waybill'])
}

async function reset(directory: string, deviseId: string, password: string): Promise<number> {
  // Imported here, so that other commands need not load the modules of clients and storage.
  const { NoSuchClient, resetPassword } = await import('../app/reset-password.ts')
  const { AccountError } = await import('../auth/errors.ts')
  try {
    return (await resetPassword(directory, deviseId, password)).id
  } catch (error) {
    if (error instanceof NoSuchClient) throw new Exit(EXIT.notFound, error.message)
    throw error instanceof AccountError ? new Exit(EXIT.failure, error.message) : error
  }
}
