/**
 * Adds every command except `serve`. A server does not load this file, which saves the memory of the commands'
 * libraries.
 */
import type { Command } from 'commander'
import { siteOf } from '../app/site.ts'
import { readSettings } from '../config/read.ts'
import type { Values } from '../config/settings.ts'
import { StartError } from '../process/start-error.ts'
import { version } from '../process/version.ts'
import { addTreeCommands } from '../runner/tree-commands.ts'
import { driverOf } from '../store/drivers.ts'
import { addAudit } from './audit.ts'
import { addCancel } from './cancel.ts'
import { addClientPassword } from './client-password.ts'
import { addClients } from './clients.ts'
import { addCompletion } from './completion.ts'
import { addContexts } from './context.ts'
import { addDbCommands } from './db.ts'
import { addDevices } from './devices.ts'
import { addExport } from './export.ts'
import { addHandover } from './handover.ts'
import { addIncidents } from './incidents.ts'
import { addKeys } from './keys.ts'
import { addMessages } from './messages.ts'
import type { Output } from './remote.ts'
import { addReplay } from './replay.ts'
import { addRuns } from './runs.ts'
import { addSend } from './send.ts'
import { type Flags, settingOptions, valuesBySetting } from './setting-options.ts'
import { addSimulate } from './simulate.ts'
import { addStatus } from './status.ts'
import { addToken } from './token.ts'
import { addWatch } from './watch.ts'

export function addCommands(program: Command, io: Output): void {
  addTreeCommands(program, {
    ...io,
    packageName: 'waybill',
    // npm runs no scripts of packages that are not listed.
    manifest: { allowScripts: { bcrypt: true, 'better-sqlite3': true } },
    version: version(),
    options: () => settingOptions(['prefixes']),
    siteOf: (flags) => siteOf(readSettings({ flags: valuesBySetting(flags) })),
    explained: [
      'routes explain GET /auth/me',
      'routes explain PUT /producer/request/pump-1 --prefix @broker',
      'routes explain GET /admin/api/messages/7 --json',
    ],
  })
  const offline = {
    out: io.out,
    options: settingOptions(['dataDir', 'store']),
    settings: (flags: Flags) => readSettings({ flags: valuesBySetting(flags) }),
  }
  addDbCommands(program, {
    ...offline,
    dataDir: (flags) => sqliteDirectory(offline.settings(flags)),
  })
  const remotes = [
    addSend,
    addCancel,
    addReplay,
    addMessages,
    addExport,
    addStatus,
    addWatch,
    addSimulate,
    addDevices,
    addIncidents,
    addHandover,
    addKeys,
    addAudit,
    addRuns,
    addToken,
    addContexts,
    addCompletion,
  ]
  for (const add of remotes) add(program, io)
  addClientPassword(addClients(program, io), offline)
}

/** Returns the data directory. @throws {StartError} when another storage has the messages, with its own tools */
function sqliteDirectory({ dataDir, store }: Values): string {
  if (store === null) return dataDir
  const { shown, tools } = driverOf(store)
  throw new StartError(`the messages are in ${shown(store)}, and "waybill db" serves SQLite: ${tools(store)}`)
}
