/** Serves an app over HTTP on the configured address, and logs what it serves. */
import type { Settings } from '../config/settings.ts'
import { urlOf } from '../net/address.ts'
import { ConnectionLimit } from '../net/connection-limit.ts'
import { TrustedProxies } from '../net/trusted-proxies.ts'
import type { Log } from '../process/log.ts'
import { PermanentStartError, startErrorFor } from '../process/start-error.ts'
import { LISTENING, type StartFields } from '../process/start-text.ts'
import { version } from '../process/version.ts'
import { driverOf } from '../store/drivers.ts'
import type { Transport } from '../transport/transport.ts'
import type { App } from '../web/app.ts'
import type { Server, Tls } from '../web/http.ts'
import { listenNode } from '../web/node.ts'
import { listenUws } from '../web/uws.ts'
import { loadEngine } from '../web/uws-engine.ts'
import { BROKER, DOCS } from './site.ts'

/** Bytes added to the maximum payload size for a WebSocket message. */
const MESSAGE_EXTRA_BYTES = 65_536

const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'is in use: stop the program that listens there, or choose another address with --host HOST:PORT',
  EACCES: 'is not allowed for this user: choose a port above 1023 with --host HOST:PORT',
  EADDRNOTAVAIL: 'is not an address of this machine: choose another with --host HOST:PORT',
  ENOTFOUND: 'is not a known host name: choose an address with --host HOST:PORT',
}

/** Checks that the configured HTTP adapter is installed. @throws {PermanentStartError} that says what to install */
export async function checkAdapter({ adapter }: Pick<Settings, 'adapter'>): Promise<void> {
  if (adapter !== 'uws') return
  try {
    await loadEngine()
  } catch (error) {
    throw new PermanentStartError((error as Error).message, error)
  }
}

/** Starts the HTTP server. @throws {StartError} when it cannot listen on the address */
export async function listen(app: App, settings: Settings, tls: Tls | null, log: Log): Promise<Server> {
  const { adapter, address, port, bodyLimit, maxConnections: maximum, trustedProxies } = settings
  const proxies = new TrustedProxies(trustedProxies)
  const options = {
    host: address,
    port,
    tls,
    messageLimit: bodyLimit + MESSAGE_EXTRA_BYTES,
    limit: new ConnectionLimit({ name: 'HTTP', maximum, setting: 'server.max-connections', log }),
    // Without proxies the adapters need not read the header.
    clientAddress:
      trustedProxies.length === 0
        ? undefined
        : (peer: string, header: string) => proxies.clientOf(peer, header),
  }
  try {
    return await (adapter === 'uws' ? listenUws : listenNode)(app, options)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const cure = CURES[code]
    throw startErrorFor(
      error,
      cure ? `${address}:${port} ${cure}` : `cannot listen on ${address}:${port}: ${message}`,
    )
  }
}

/** Logs the user's trees, notes of the adapter, and finally the address and the data directory. */
export function announce(
  { adapter, dataDir, store }: Settings,
  trees: readonly { readonly path: string }[],
  server: Server,
  { url, transports }: { readonly url: string; readonly transports: readonly Transport[] | null },
  log: Log,
): void {
  for (const { path } of trees)
    if (path !== BROKER && path !== DOCS) log.info({ prefix: path }, `endpoints in ${path}`)
  if (adapter === 'uws')
    log.info({ adapter }, 'HTTP adapter uws: keep it in a trusted network or behind a proxy')
  const fields: StartFields = {
    http: url,
    mqtt: transports?.find(({ name }) => name === 'MQTT')?.url ?? null,
    page: transports && pageUrl(url, server),
    dataDir: transports && store === null ? dataDir : null,
    ...(transports && store !== null && { store: driverOf(store).shown(store) }),
    version: version(),
  }
  log.info(fields, LISTENING)
}

/** Wildcard addresses, each with a concrete address that a browser can open. */
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** Returns the URL of the admin page for a browser on this machine. */
function pageUrl(url: string, { host, port }: Server): string {
  const scheme = new URL(url).protocol.slice(0, -1)
  return `${urlOf(scheme, { host: ANY_ADDRESS.get(host) ?? host, port })}/`
}
