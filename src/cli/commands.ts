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
import { parseDatabaseUrl } from '../store/postgres/database/url.ts'
import type { Site } from '../web/site.ts'
import { addAudit } from './audit.ts'
import { addCancel } from './cancel.ts'
import { addClientPassword } from './client-password.ts'
import { addClients } from './clients.ts'
import { addCompletion } from './completion.ts'
import { addContexts } from './context.ts'
import { addDbCommands } from './db.ts'
import { addDevices } from './devices.ts'
import { addExamples } from './examples.ts'
import { EXIT, Exit } from './exit.ts'
import { addExport } from './export.ts'
import { addKeys } from './keys.ts'
import { addMessages } from './messages.ts'
import { addNew } from './new.ts'
import type { Output } from './remote.ts'
import { addReplay } from './replay.ts'
import { listRoutes, routesAsJson } from './routes.ts'
import { explainRoute } from './routes-explain.ts'
import { addSend } from './send.ts'
import { type Flags, settingOptions, valuesBySetting } from './setting-options.ts'
import { addSimulate } from './simulate.ts'
import { addStatus } from './status.ts'
import { addToken } from './token.ts'
import { addWatch } from './watch.ts'

export function addCommands(program: Command, io: Output): void {
  const routes = program
    .command('routes')
    .description('list every path: methods, path, file, class, access')
    .option('--json', 'print JSON: an object for each method and path, one a line')
    .option('--rules', 'show the rules of each method, and the file that declares each')
    .action(async (flags: Flags) => {
      const list = flags.json ? routesAsJson : listRoutes
      io.out(list(await treesOf(flags, io), { rules: flags.rules === true }))
    })
  addExamples(routes, ['routes', 'routes --rules --prefix endpoints', 'routes explain GET /auth/me'])
  const explainCommand = routes
    .command('explain <method> <path>')
    .description('show which handler answers a request, and the steps of the search')
    .option('--json', 'print JSON: what was found, and the steps')
    .action(async (method: string, path: string, flags: Flags, command: Command) => {
      const all = { ...command.optsWithGlobals<Flags>(), ...flags }
      const { text, found } = explainRoute(await treesOf(all, io), method, path)
      const steps = text
        .trimEnd()
        .split('\n')
        .map((line) => line.trim())
      io.out(all.json ? `${JSON.stringify({ method, path, found, steps })}\n` : text)
      if (!found) throw new Exit(EXIT.failure)
    })
  addExamples(explainCommand, [
    'routes explain GET /auth/me',
    'routes explain PUT /producer/request/pump-1 --prefix @broker',
    'routes explain GET /admin/api/messages/7 --json',
  ])
  const types = program
    .command('types')
    .description('print TypeScript types of the API, for clients')
    .action(async (flags: Flags) => {
      const { typesOf } = await import('./types.ts')
      io.out(await typesOf(await treesOf(flags, io)))
    })
  for (const command of [routes, explainCommand, types]) {
    for (const option of settingOptions(['prefixes'])) command.addOption(option)
  }
  const offline = {
    out: io.out,
    options: settingOptions(['dataDir', 'store']),
    settings: (flags: Flags) => readSettings({ flags: valuesBySetting(flags) }),
  }
  addDbCommands(program, {
    ...offline,
    dataDir: (flags) => sqliteDirectory(offline.settings(flags)),
  })
  addNew(program, { out: io.out, version: version() })
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
    addKeys,
    addAudit,
    addToken,
    addContexts,
    addCompletion,
  ]
  for (const add of remotes) add(program, io)
  addClientPassword(addClients(program, io), offline)
  addExamples(types, ['types', 'types --prefix endpoints > api.d.ts'])
}

/** Returns the data directory. @throws {StartError} when the messages are in PostgreSQL, which has its own tools */
function sqliteDirectory({ dataDir, store }: Values): string {
  if (store === null) return dataDir
  const { shown, schema } = parseDatabaseUrl(store)
  throw new StartError(
    `the messages are in ${shown}, and "waybill db" serves SQLite: back up with "pg_dump --format=custom --schema=${schema}" or pg_basebackup, restore with pg_restore, and check with pg_amcheck`,
  )
}

async function treesOf(flags: Flags, io: Output): Promise<Site> {
  const site = await siteOf(readSettings({ flags: valuesBySetting(flags) }))
  for (const { text } of site.prefixes.flatMap(({ warnings }) => warnings)) io.err(`warning: ${text}\n`)
  return site
}
