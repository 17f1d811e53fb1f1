/** Serves prefix directories without the broker: site, services, app, listener, and the stop in reverse order. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { urlOf } from '../net/address.ts'
import type { Log } from '../process/log.ts'
import { App } from '../web/app.ts'
import { Lifecycle } from '../web/lifecycle.ts'
import { listenNode } from '../web/node.ts'
import { readSite } from '../web/read-site.ts'
import type { Site } from '../web/site.ts'
import { listenUws } from '../web/uws.ts'
import { allowDropIns, loadOnce, realPathOf, reloader } from './drop-in.ts'
import { packageInfo } from './package-info.ts'
import { logUnexpected } from './unexpected.ts'

/** Directory of the tree `@docs`, which serves the API description. */
const DOCS = fileURLToPath(new URL('../runner/docs', import.meta.url))

export interface ServeOptions {
  /** Directories of endpoint files, the one of highest precedence first. `@docs` stands for the API description. */
  readonly prefixes: readonly string[]
  readonly host: string
  readonly port: number
  readonly adapter: 'node' | 'uws'
  /** Maximum bytes of a request body. */
  readonly bodyLimit: number
  readonly watch: boolean
}

export interface Served {
  readonly url: string
  /** Logs an error that nothing handles. */
  readonly report: (error: unknown, effect: string) => void
  /** Refuses new requests, lets running requests finish for at most `graceMs`, and closes the services. */
  close(graceMs: number): Promise<void>
}

/** Reads the trees of prefixes. @throws {TreeError} */
export async function readTrees(prefixes: readonly string[], watch = false): Promise<Site> {
  allowDropIns('waybill-web', 'framework')
  const paths = prefixes.map((prefix) => (prefix === '@docs' ? DOCS : realPathOf(resolve(prefix))))
  return readSite(paths, watch ? reloader.load : loadOnce)
}

/** Starts a server. @throws {TreeError} {ServicesError}, and the error of a listener */
export async function serve(options: ServeOptions, log: Log): Promise<Served> {
  const site = await readTrees(options.prefixes, options.watch)
  const [first] = site.prefixes
  const info = first && packageInfo(first.path)
  const app = new App({ site, bodyLimit: options.bodyLimit, log, info, problems: true })
  const lifecycle = new Lifecycle(site, { log, describe: () => app.describe() }, log)
  await lifecycle.open()
  const listen = options.adapter === 'uws' ? listenUws : listenNode
  const server = await listen(app, { host: options.host, port: options.port }).catch(
    async (error: unknown) => {
      await lifecycle.close()
      throw error
    },
  )
  const unwatch = options.watch
    ? await (await import('./watch.ts')).watchPrefixes(site, lifecycle, reloader, log)
    : async () => {}
  const url = urlOf('http', server)
  for (const { path } of site.prefixes) if (path !== DOCS) log.info({ prefix: path }, `endpoints in ${path}`)
  log.info({ http: url }, 'listening')
  return {
    url,
    report: (error, effect) => logUnexpected(log, error, site.prefixes, effect),
    async close(graceMs) {
      lifecycle.drain()
      await server.close(graceMs)
      await unwatch()
      await lifecycle.close()
      log.info({}, 'stopped')
    },
  }
}
