/** Finds and reads the configured endpoint trees. Opens nothing. */
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TreeName } from '../config/rules.ts'
import type { Settings } from '../config/settings.ts'
import { allowDropIns, loadOnce, reloader } from '../runner/drop-in.ts'
import { packageInfo } from '../runner/package-info.ts'
import type { ApiInfo } from '../web/api-info.ts'
import { match, verbFor } from '../web/match.ts'
import { readSite } from '../web/read-site.ts'
import type { Site } from '../web/site.ts'
import { corsRules } from './cors-rules.ts'

export const BROKER = fileURLToPath(new URL('../../endpoints', import.meta.url))
/** Directory of the tree that serves the API description and its page. It needs no broker. */
export const DOCS = join(BROKER, '_docs')
/**
 * Source directory of the broker's tree, if this file is a build. Settings may name either directory; the tree is read
 * once.
 */
const BROKER_SOURCE = resolve(BROKER, '../../endpoints')

const METRICS_PATH = ['metrics']

const TREES: Readonly<Record<TreeName, readonly string[]>> = { '@broker': [BROKER, DOCS], '@docs': [DOCS] }

/** Lists the configured directories, the one of highest precedence first. */
export function prefixPaths(prefixes: readonly string[], cwd = process.cwd()): string[] {
  const local = resolve(cwd, 'endpoints')
  const byDefault = existsSync(local) ? [local, '@broker'] : ['@broker']
  const names = prefixes.length > 0 ? prefixes : byDefault
  return [...new Set(names.flatMap((name) => pathsOf(name, cwd)))]
}

function pathsOf(name: string, cwd: string): readonly string[] {
  if (Object.hasOwn(TREES, name)) return TREES[name as TreeName]
  const path = resolve(cwd, name)
  if (!existsSync(path)) return [path]
  const real = realpathSync(path)
  return real === BROKER || real === BROKER_SOURCE ? TREES['@broker'] : [real]
}

/** Reads the configured trees. @throws {TreeError} */
export async function siteOf({ prefixes, watch, corsOrigins, metricsPublic }: Settings): Promise<Site> {
  const paths = prefixPaths(prefixes)
  const own = TREES['@broker']
  if (watch || paths.some((path) => !own.includes(path))) allowDropIns('waybill', 'index')
  const rules = corsOrigins.length === 0 ? [] : own.map((path) => [path, corsRules(corsOrigins)] as const)
  const site = await readSite(paths, watch ? reloader.load : loadOnce, new Map(rules))
  if (metricsPublic) openToAll(site, METRICS_PATH)
  return site
}

/** Opens GET of a broker class to callers without a token, as configured by the operator. */
function openToAll({ tree }: Site, path: readonly string[]): void {
  const found = match(tree, 'GET', path)
  const verb = found?.prefix.path === BROKER ? verbFor(found.handler, 'GET') : undefined
  if (found && verb) Object.assign(verb, { access: 'public' })
}

/** Returns the title of an API whose prefixes export none: the package of the first directory with endpoints. */
export function defaultInfo({ prefixes }: Site): ApiInfo | undefined {
  const first = prefixes.find(({ path }) => path !== DOCS)
  return first && packageInfo(first.path)
}
