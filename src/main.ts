/** The composition root: settings → a running server. */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from './config.ts'
import { allowDropIns, reloader } from './drop-in.ts'
import { StartError } from './start-error.ts'
import { TlsFiles } from './tls.ts'
import { version } from './version.ts'
import { watchPrefixes } from './watch.ts'
import { App, type Log } from './web/app.ts'
import type { Server, Tls } from './web/http.ts'
import { Lifecycle } from './web/lifecycle.ts'
import { importFile } from './web/load.ts'
import { listenNode } from './web/node.ts'
import { readSite } from './web/read-site.ts'
import type { Site } from './web/site.ts'
import { listenUws } from './web/uws.ts'
import { BARE_ERRORS } from './wire.ts'

export interface Running {
  readonly url: string
  /**
   * Stops accepting, lets running requests finish for at most `graceMs`, closes the storage.
   *
   * @param cause a signal's name, or the error that nothing caught
   */
  close(graceMs: number, cause: string | Error): Promise<void>
}

const BROKER = fileURLToPath(new URL('../endpoints', import.meta.url))
/** The broker's tree as source, where this is its build: the same tree, to be taken once. */
const BROKER_SOURCE = resolve(BROKER, '../../endpoints')

/** The directories that the settings name, in the order in which they are asked. */
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

/** Reads the trees that the settings name; opens nothing. @throws {TreeError} */
export async function siteOf(settings: Settings): Promise<Site> {
  const paths = prefixPaths(settings.prefixes)
  if (settings.watch || paths.some((path) => path !== BROKER)) await allowDropIns()
  return readSite(paths, settings.watch ? reloader.load : importFile)
}

/** @throws {StartError} {TreeError} and whatever a tree's own services throw */
export async function start(settings: Settings, log: Log): Promise<Running> {
  const { tlsCert, tlsKey } = settings
  const tls = tlsCert !== null && tlsKey !== null ? new TlsFiles(tlsCert, tlsKey, log) : null
  let url: string | null = null
  const site = await siteOf(settings)
  const info = { title: 'Waybill', version: version() }
  const app = new App({ site, bodyLimit: settings.bodyLimit, log, info, bareErrors: BARE_ERRORS })
  const describe = () => app.describe()
  const lifecycle = new Lifecycle(site, { settings, log, tls, info, url: () => url, describe }, log)
  await lifecycle.open()
  const unwatch = settings.watch ? await watchPrefixes(site, lifecycle, reloader, log) : async () => {}
  try {
    const server = await listen(app, settings, tls)
    url = `${tls ? 'https' : 'http'}://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`
    explain(settings, site, url, log)
    return {
      url,
      async close(graceMs, cause) {
        if (typeof cause === 'string') log.info({ signal: cause }, `${cause}: stopping`)
        else log.error({ err: cause }, 'unexpected error: stopping')
        await unwatch()
        lifecycle.drain()
        await server.close(graceMs)
        await lifecycle.close()
        tls?.close()
        log.info({}, 'stopped')
      },
    }
  } catch (error) {
    await unwatch()
    await lifecycle.close()
    throw error
  }
}

/** A WebSocket message may hold a payload of the largest size, and a little beside it. */
const MESSAGE_EXTRA_BYTES = 65_536

async function listen(app: App, settings: Settings, tls: Tls | null): Promise<Server> {
  const { adapter, address, port, bodyLimit } = settings
  const options = { host: address, port, tls, messageLimit: bodyLimit + MESSAGE_EXTRA_BYTES }
  try {
    return await (adapter === 'uws' ? listenUws : listenNode)(app, options)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const cures: Record<string, string> = {
      EADDRINUSE: 'is in use: stop what listens there, or choose another with --host HOST:PORT',
      EACCES: 'is not allowed for this user: choose a port above 1023 with --host HOST:PORT',
      EADDRNOTAVAIL: 'is not an address of this machine: choose one with --host HOST:PORT',
      ENOTFOUND: 'is not a known host name: choose an address with --host HOST:PORT',
    }
    const cure = cures[code ?? '']
    throw new StartError(
      cure ? `${address}:${port} ${cure}` : `cannot listen on ${address}:${port}: ${message}`,
      error,
    )
  }
}

function explain({ adapter, watch }: Settings, site: Site, url: string, log: Log): void {
  for (const { path } of site.prefixes) {
    log.info(
      { prefix: path },
      path === BROKER ? 'endpoints of the broker itself (@broker)' : `endpoints in ${path}`,
    )
  }
  if (watch) log.info({}, 'endpoint files are read again when they change (--watch)')
  const why =
    adapter === 'node' ? 'strict, no native add-on' : 'faster; keep it in a trusted network or behind a proxy'
  log.info({ adapter }, `HTTP adapter ${adapter}: ${why}`)
  log.info({ url }, `listening on ${url}`)
}
