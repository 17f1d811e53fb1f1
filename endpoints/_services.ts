/** Opens the broker for this tree, and says who calls. The broker's composition root: the one file here that knows storage. */
import { Accounts } from '../src/auth/accounts.ts'
import { ClientList } from '../src/auth/client-list.ts'
import { Imports } from '../src/auth/imports.ts'
import { queueRule } from '../src/auth/own-queue.ts'
import { ensureSecret } from '../src/auth/secret.ts'
import { Tokens } from '../src/auth/token.ts'
import { watched } from '../src/auth/watched.ts'
import { ATTENTION } from '../src/broker/attention.ts'
import { Broker } from '../src/broker/broker.ts'
import { Devices } from '../src/broker/devices.ts'
import { Feed } from '../src/broker/feed.ts'
import { keepHistory } from '../src/broker/history.ts'
import { Messages } from '../src/broker/messages.ts'
import { Overview } from '../src/broker/overview.ts'
import { Presence } from '../src/broker/presence.ts'
import { Refusals } from '../src/broker/refusals.ts'
import { Tally } from '../src/broker/tally.ts'
import { Templates } from '../src/broker/templates.ts'
import type { Settings } from '../src/config.ts'
import type { Services } from '../src/services.ts'
import { whyStopped } from '../src/store/sqlite/damage.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { systemOf } from '../src/system.ts'
import type { Log } from '../src/web/app.ts'
import type { Identity } from '../src/web/endpoint.ts'
import type { Tls, WebSocketHandler } from '../src/web/http.ts'
import { type Mqtt, openMqtt } from './_mqtt.ts'

export { errors } from './_errors.ts'

interface Opened extends Services {
  readonly permitAll: boolean
  /** Null when it is switched off. */
  readonly mqtt: Mqtt | null
  readonly drain: () => void
  readonly shutDown: () => Promise<void>
}

interface Context extends Pick<Services, 'describe'> {
  readonly settings: Settings
  readonly log: Log
  /** Null without TLS. */
  readonly tls: Tls | null
  readonly info: { readonly version: string }
  /** Where HTTP is served; null: it is not yet. */
  readonly url: () => string | null
}

/** @throws {StartError} when the data directory cannot be used */
export async function open({ settings, log, tls, info, url, describe }: Context): Promise<Opened> {
  const { dataDir, jwtSecret, jwtExpirationMs, queueLimit, historyDays, adminId, adminPassword, permitAll } =
    settings
  const storage = openStorage(
    dataDir,
    (error) => log.error({ err: error }, whyStopped(error)),
    Math.ceil(queueLimit * ATTENTION.queueShare),
  )
  try {
    const tokens = new Tokens(jwtSecret ?? ensureSecret(dataDir, log), jwtExpirationMs)
    const clients = await ClientList.open(storage.clients)
    const accounts = new Accounts({ clients, tokens })
    const admin = await accounts.ensureAdmin(adminId, adminPassword)
    if (admin.password !== null) {
      log.warn(
        { adminId },
        `first admin: id "${adminId}", password "${admin.password}" (shown this once, keep it)`,
      )
    } else if (admin.created) log.info({ adminId }, `first admin: id "${adminId}", password as configured`)
    const presence = new Presence()
    const refusals = new Refusals()
    const tally = new Tally()
    const broker = new Broker({ messages: storage.messages, queueLimit, log, presence, tally })
    log.info({ dataDir }, `messages are kept in ${dataDir}`)
    if (permitAll) {
      log.warn(
        {},
        'APP_SECURITY_PERMIT_ALL IS ON: NO ACCESS IS CHECKED, ANYONE MAY SEND ANY DEVICE ANY COMMAND',
      )
    }
    const mayActFor = queueRule(settings.ownQueueOnly)
    const mqtt = await openMqtt({
      settings,
      log,
      tls,
      accounts,
      broker,
      messages: storage.messages,
      presence,
      tally,
      refusals,
      mayActFor,
    })
    const messages = new Messages({ ...storage, line: (deviceId) => mqtt?.line(deviceId) ?? null })
    const deviceOf = (clientId: number): string => clients.deviceOf(clientId)
    const templates = new Templates({ templates: storage.templates, broker, deviceOf })
    const devices = new Devices(storage.devices, presence)
    const overview = new Overview({
      ...{ store: storage.state, tally, presence, refusals, queueLimit },
      connections: () => mqtt?.connections.size ?? 0,
      unanswered: (times) => mqtt?.unanswered(times) ?? [],
    })
    const system = systemOf({
      version: info.version,
      settings,
      urls: () => [url(), mqtt?.url].filter((each) => typeof each === 'string'),
      store: storage.state,
      clients: () => clients.all().length,
    })
    const imports = new Imports(clients)
    const feed = new Feed({ broker, presence })
    const endHistory = keepHistory(storage.messages, historyDays, log)
    const shutDown = async (): Promise<void> => {
      await mqtt?.close()
      feed.close()
      await imports.close()
      await endHistory()
      await storage.close()
    }
    const identify = (authorization?: string) => authenticate({ accounts, permitAll }, authorization)
    return {
      broker,
      accounts: watched(accounts, (failed) =>
        refusals.note({ ...failed, clientId: null, transport: 'REST' }),
      ),
      clients,
      imports,
      messages,
      templates,
      devices,
      overview,
      connections: mqtt?.connections ?? null,
      refusals,
      system,
      backups: storage.backups,
      feed,
      identify,
      mayActFor,
      describe,
      permitAll,
      mqtt,
      drain: () => feed.close(),
      shutDown,
    }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** Ends what would not end by itself while the server stops. */
export function drain(opened: Opened): void {
  opened.drain()
}

export async function close({ shutDown }: Opened): Promise<void> {
  await shutDown()
}

/** MQTT over WebSocket, on the port of REST. */
export function socket({ mqtt }: Opened, path: string): WebSocketHandler | null {
  return path === '/mqtt' ? (mqtt?.socket ?? null) : null
}

const ANYONE: Identity = { id: '', roles: [], unrestricted: true }

/** RFC 6750 section 2.1: `Authorization: Bearer <token>`, the scheme in any case. */
export function authenticate(
  { accounts, permitAll }: Pick<Opened, 'accounts' | 'permitAll'>,
  authorization: string | undefined,
): Identity | null {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const session = token === undefined ? null : accounts.session(token)
  if (session) return { id: session.deviceId, roles: [session.role], unrestricted: permitAll }
  return permitAll ? ANYONE : null
}
