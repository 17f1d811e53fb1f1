/** Finds and reads the endpoint trees that the settings name. Opens nothing. */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../config/settings.ts'
import { importFile } from '../web/load.ts'
import { readSite } from '../web/read-site.ts'
import type { Site } from '../web/site.ts'
import { allowDropIns, reloader } from './drop-in.ts'

/** Directory of the broker's own tree, which the settings call `@broker`. */
export const BROKER = fileURLToPath(new URL('../../endpoints', import.meta.url))
/** Source directory of that tree, if this file is a build. Settings may name either directory; the tree is read once. */
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

/** Reads the trees that the settings name. @throws {TreeError} */
export async function siteOf(settings: Settings): Promise<Site> {
  const paths = prefixPaths(settings.prefixes)
  if (settings.watch || paths.some((path) => path !== BROKER)) await allowDropIns()
  return readSite(paths, settings.watch ? reloader.load : importFile)
}
