/** `waybill db`: checks, backs up, restores and recovers the database, and reports the result. */
import { join, resolve } from 'node:path'
import type { Command, Option } from 'commander'
import { refuseAbortingAddon } from '../process/addons.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamplesTo } from '../runner/examples.ts'
import { backUp, type Content, checkDatabase } from '../store/sqlite/database/backup.ts'
import { DATABASE_FILE } from '../store/sqlite/database/directory.ts'
import { recover } from '../store/sqlite/database/recover.ts'
import { restore } from '../store/sqlite/database/restore.ts'

export interface DbCommandContext {
  readonly out: (text: string) => void
  readonly options: readonly Option[]
  /**
   * Returns the data directory from flag, variable or file. @throws {ConfigError} @throws {StartError} with PostgreSQL
   */
  readonly dataDir: (flags: Flags) => string
}

type Flags = Readonly<Record<string, unknown>>

/** Adds the subcommands. They throw a problem as a StartError, which ends the command with exit code 1. */
export function addDbCommands(program: Command, { out, options, dataDir }: DbCommandContext): void {
  const db = program.command('db').description('check, back up, restore or recover the database')
  db.hook('preAction', refuseAbortingAddon)
  const check = db
    .command('check')
    .description('check the whole database and report damage; the server may be running')
    .action((flags: Flags) => {
      const path = join(dataDir(flags), DATABASE_FILE)
      out(`${path} is sound: ${inWords(checkDatabase(path))}\n`)
    })
  const backup = db
    .command('backup <file>')
    .description('write all messages and clients to a new file, and check it; the server may be running')
    .option('--force', 'replace an existing file')
    .action((file: string, flags: Flags) => {
      const path = join(dataDir(flags), DATABASE_FILE)
      const { bytes, findings, ...content } = backUp(path, resolve(file), flags.force === true)
      out(`${resolve(file)} has ${inWords(content)}; ${bytes} bytes\n`)
      if (findings.length === 0) return
      const lines = findings.map((what) => `${path} is damaged: ${what}`)
      throw new Exit(
        EXIT.failure,
        [...lines, `keep your earlier backups: "waybill db restore" may refuse ${resolve(file)}`].join('\n'),
      )
    })
  const restoration = db
    .command('restore <file>')
    .description(
      'replace the database with a backup and keep the old database beside it; the server must be stopped',
    )
    .action((file: string, flags: Flags) => {
      const directory = dataDir(flags)
      const { replaced, idsGoOn, ...content } = restore(directory, resolve(file))
      out(`${join(directory, DATABASE_FILE)} is restored from ${resolve(file)}: ${inWords(content)}\n`)
      if (replaced !== null) out(`the old database is kept in ${replaced}\n`)
      if (!idsGoOn)
        out(
          'the old database could not be read: new messages may get ids that it gave out after the backup\n',
        )
    })
  const recovery = db
    .command('recover')
    .description(
      'keep all messages before the damage of a write-ahead log, and check the database; the server must be stopped',
    )
    .action((flags: Flags) => {
      const directory = dataDir(flags)
      const { kept, ...content } = recover(directory)
      out(`${join(directory, DATABASE_FILE)} is sound: ${inWords(content)}\n`)
      if (kept !== null) out(`the log as it was is kept in ${kept}\n`)
    })
  for (const command of [check, backup, restoration, recovery]) {
    for (const option of options) command.addOption(option)
  }
  addExamplesTo(db, {
    check: ['db check', 'db check --data-dir /var/lib/waybill'],
    backup: ['db backup monday.sqlite', 'db backup today.sqlite --force --data-dir /var/lib/waybill'],
    restore: ['db restore monday.sqlite --data-dir /var/lib/waybill'],
    recover: ['db recover --data-dir /var/lib/waybill'],
  })
}

function inWords({ messages, waiting, clients }: Content): string {
  return `${count(messages, 'message')} (${waiting} pending), ${count(clients, 'client')}`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
