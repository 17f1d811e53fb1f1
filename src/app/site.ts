/** Finds and reads the endpoint trees that the settings name. Opens nothing. */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../config/settings.ts'
import { version } from '../process/version.ts'
import type { Log } from '../web/app.ts'
import { importFile } from '../web/load.ts'
import { Prefixes } from '../web/prefix.ts'
import { allowDropIns, reloader } from './drop-in.ts'
import type { BrokerServices } from './services.ts'

/** The broker's own tree, which the settings call `@broker`. */
export const BROKER = fileURLToPath(new URL('../../endpoints', import.meta.url))
/** Source of that tree, where this file is its build. Settings may name either, and the tree is read once. */
const BROKER_SOURCE = resolve(BROKER, '../../endpoints')

/** Lists the directories that the settings name, the one of highest precedence first. */
export function prefixPaths(prefixes: readonly string[], cwd = process.cwd()): string[] {
  const local = resolve(cwd, 'endpoints')
  const byDefault = existsSync(local) ? [local, '@broker'] : ['@broker']
  const paths = (prefixes.length > 0 ? prefixes : byDefault).map((name) => {
    if (name === '@broker') return BROKER
    const path = resolve(cwd, name)
    if (!existsSync(path)) return path
    const real = realpathSync(path)
    return real === BROKER || real === BROKER_SOURCE ? BROKER : real
  })
  return [...new Set(paths)]
}

/**
 * Reads the trees that the settings name.
 *
 * @param broker gives the `_services` of the broker's tree what main opened for it; null: nothing yet
 * @throws {TreeError}
 */
export async function readPrefixes(
  settings: Settings,
  log: Log,
  broker: () => BrokerServices | null = () => null,
): Promise<Prefixes> {
  const paths = prefixPaths(settings.prefixes)
  if (settings.watch || paths.some((path) => path !== BROKER)) await allowDropIns()
  const info = { title: 'Waybill', version: version() }
  return Prefixes.read(paths, { settings, log, info, broker }, settings.watch ? reloader.load : importFile)
}
