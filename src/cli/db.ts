/** `waybill db`: check, backup and restore, in words. */
import { join, resolve } from 'node:path'
import type { Command, Option } from 'commander'
import { backUp, type Content, checkDatabase } from '../store/sqlite/backup.ts'
import { DATABASE_FILE } from '../store/sqlite/directory.ts'
import { restore } from '../store/sqlite/restore.ts'

/** What the command line gives its subcommands. */
export interface DbCommandContext {
  readonly out: (text: string) => void
  readonly options: readonly Option[]
  /** Where the data directory is, by flag, variable or file. @throws {ConfigError} */
  readonly dataDir: (flags: Flags) => string
}

type Flags = Readonly<Record<string, unknown>>

/** A problem is thrown as a StartError, so that it ends the command with exit code 1. */
export function addDbCommands(program: Command, { out, options, dataDir }: DbCommandContext): void {
  const db = program.command('db').description('check, back up or restore the database')
  const check = db
    .command('check')
    .description('read all of the database and tell what is wrong with it; works while the server runs')
    .action((flags: Flags) => {
      const path = join(dataDir(flags), DATABASE_FILE)
      out(`${path} is sound: ${inWords(checkDatabase(path))}\n`)
    })
  const backup = db
    .command('backup <file>')
    .description('write all messages and clients to a new file; works while the server runs')
    .option('--force', 'replace a file that is there')
    .action((file: string, flags: Flags) => {
      const { bytes, ...content } = backUp(
        join(dataDir(flags), DATABASE_FILE),
        resolve(file),
        flags.force === true,
      )
      out(`${resolve(file)} has ${inWords(content)}; ${bytes} bytes\n`)
    })
  const restoration = db
    .command('restore <file>')
    .description(
      'put a backup in the place of the database, which is kept beside it; the server must be stopped',
    )
    .action((file: string, flags: Flags) => {
      const directory = dataDir(flags)
      const { replaced, idsGoOn, ...content } = restore(directory, resolve(file))
      out(`${join(directory, DATABASE_FILE)} has what was in ${resolve(file)}: ${inWords(content)}\n`)
      if (replaced !== null) out(`what was there before is in ${replaced}\n`)
      if (!idsGoOn)
        out('it could not be read: ids are given out again that were given out after the backup\n')
    })
  for (const command of [check, backup, restoration]) {
    for (const option of options) command.addOption(option)
  }
}

function inWords({ messages, waiting, clients }: Content): string {
  return `${count(messages, 'message')} (${waiting} waiting), ${count(clients, 'client')}`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
