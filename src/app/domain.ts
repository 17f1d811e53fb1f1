/** Opens the broker on a storage: clients and their rights, queues, statistics. Knows no transport. */
import { type NameOwner, RefusedLogins } from '../audit/refused-logins.ts'
import type { AccessControl } from '../auth/access.ts'
import type { Accounts } from '../auth/accounts.ts'
import type { ClientList } from '../auth/client-list.ts'
import type { ClientRecord } from '../auth/clients.ts'
import type { FirstPasswords } from '../auth/first-password.ts'
import type { HeldAccess } from '../auth/held-access.ts'
import type { KeyList } from '../auth/key-list.ts'
import type { LoginTimes } from '../auth/login-times.ts'
import type { NodeTokens } from '../auth/node-tokens.ts'
import { type CanActFor, type DevicesOf, queueAccess } from '../auth/queue-access.ts'
import { Broker } from '../broker/engine/broker.ts'
import { Deadlines } from '../broker/engine/deadlines.ts'
import { DiskFloor } from '../broker/engine/disk-floor.ts'
import { ParkedMessages } from '../broker/engine/parked-messages.ts'
import { RejectionLines } from '../broker/engine/rejection-lines.ts'
import { WaitLimit } from '../broker/engine/waits.ts'
import { Downtime } from '../broker/views/downtime.ts'
import { Presence } from '../broker/views/presence.ts'
import { PresenceRecorder } from '../broker/views/presence-recorder.ts'
import { RejectionLog } from '../broker/views/rejection-log.ts'
import { EXCHANGE_MS } from '../broker/views/shared-presence.ts'
import { Statistics } from '../broker/views/statistics.ts'
import { ChangeCounts } from '../broker/vocabulary/change-counts.ts'
import type { Clock } from '../broker/vocabulary/clock.ts'
import type { Settings } from '../config/settings.ts'
import { networkOf } from '../net/address.ts'
import { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'
import { version } from '../process/version.ts'
import type { Storage } from '../store/storage.ts'
import { NodeTraffic } from '../transport/node-traffic.ts'
import { openAccounts } from './accounts.ts'
import { gatewaysOf } from './gateways.ts'

/** Time for which changes of presence are gathered with a single node, in milliseconds. A crash loses at most this time. */
const PRESENCE_MS = 60_000

export interface Domain {
  readonly storage: Storage
  readonly clients: ClientList
  readonly keys: KeyList
  readonly access: AccessControl
  /** Ends the holders of an access when the access ends. */
  readonly held: HeldAccess
  readonly accounts: Accounts
  readonly logins: LoginTimes
  readonly firstPassword: FirstPasswords
  readonly nodeTokens: NodeTokens
  readonly canActFor: CanActFor
  /** Returns the devices for which a client may act, in addition to its own id. */
  readonly devicesOf: DevicesOf
  /** Returns the gateway of a device; null without one. */
  readonly gatewayOf: (deviceId: string) => string | null
  readonly broker: Broker
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly disk: DiskFloor
  readonly presence: Presence
  readonly presenceRecorder: PresenceRecorder
  readonly downtime: Downtime
  readonly rejections: RejectionLog
  readonly rejectionLines: RejectionLines
  readonly refusedLogins: RefusedLogins
  readonly statistics: Statistics
  readonly changes: ChangeCounts
  readonly parked: ParkedMessages
  readonly waitLimit: WaitLimit
  readonly traffic: NodeTraffic
  readonly duties: Duties
}

/** Opens the broker and its clients. @throws {StartError} for an unusable secret in the data directory */
export async function openDomain(
  storage: Storage,
  settings: Settings,
  log: Log,
  clock: Clock,
): Promise<Domain> {
  const { queueLimit, queueBytes, validSeconds, maxAttempts, ownQueueOnly } = settings
  const duties = new Duties()
  const { clients, keys, access, held, accounts, logins, firstPassword, nodeTokens } = await openAccounts(
    storage,
    settings,
    log,
    { now: () => clock.wallMs(), duties },
  )
  const presence = new Presence(clock)
  const shared = storage.nodes ?? null
  const presenceRecorder = new PresenceRecorder({
    store: storage.presence,
    sightings: presence.sightings,
    release: version(),
    everyMs: shared ? EXCHANGE_MS : PRESENCE_MS,
    keepsLog: settings.deviceLogDays > 0,
    keepsAddresses: settings.deviceLogAddresses,
    ...(shared && { nodeId: () => shared.cluster.nodeId }),
    clock,
  })
  const rejections = new RejectionLog(undefined, shared?.rejections)
  const rejectionLines = new RejectionLines({ log, monotonicMs: () => clock.monotonicMs() })
  rejections.onRecord((rejection) => rejectionLines.write(rejection))
  const refusedLogins = new RefusedLogins({
    audit: storage.audit,
    log,
    monotonicMs: () => clock.monotonicMs(),
    networkOf,
    ownerOf: (name) => ownerOf(clients.byDevice(name)),
  })
  rejections.onRecord((rejection) => void refusedLogins.record(rejection))
  rejections.onRecord(({ deviceId, reason, message, address, transport }) => {
    // Names that exist only in the requests of a stranger have no log.
    if (deviceId === null || clients.byDevice(deviceId) === undefined) return
    const detail = { reason, message, address, transport }
    presence.sightings.events.record(deviceId, 'REFUSED', `${reason} ${address}`, () => detail)
  })
  const changes = new ChangeCounts()
  const { messages, stats } = storage
  const statistics = new Statistics({
    store: storage.statistics,
    changes,
    counts: storage.metrics.counts,
    clock,
    pending: () => stats.pending(),
  })
  const disk = new DiskFloor({ freeBytes: async () => (await stats.space()).free, clock, log })
  const broker = new Broker({
    messages,
    queueLimit,
    queueBytes,
    validSeconds,
    maxAttempts,
    clock,
    log,
    presence,
    deviceEvents: presence.sightings.events,
    changes,
    disk,
    duties,
    statistics,
    attemptMs: settings.responseTimeoutMs,
    keepsKeys: settings.idempotencyHours > 0,
    sharesKeys: settings.permitAll,
  })
  const parked = new ParkedMessages(storage.metrics)
  broker.onChange((change) => parked.changed(change))
  await Promise.all([broker.deviceSettings.load(), broker.pauses.load(), parked.load()])
  const announce = broker.announce.bind(broker)
  const deadlines = new Deadlines({ messages, announce, clock, log })
  const devicesOf: DevicesOf = (clientId) => clients.devicesOf(clientId)
  const canActFor = queueAccess((clientId) => clients.ownQueueOnly(clientId) ?? ownQueueOnly, devicesOf)
  const waitLimit = new WaitLimit(settings.waitsLimit)
  return {
    storage,
    clients,
    keys,
    access,
    held,
    accounts,
    logins,
    firstPassword,
    nodeTokens,
    canActFor,
    devicesOf,
    gatewayOf: gatewaysOf(clients),
    broker,
    clock,
    deadlines,
    disk,
    presence,
    presenceRecorder,
    downtime: new Downtime(storage.presence, clock),
    rejections,
    rejectionLines,
    refusedLogins,
    statistics,
    changes,
    parked,
    waitLimit,
    traffic: new NodeTraffic(),
    duties,
  }
}

function ownerOf(client: ClientRecord | undefined): NameOwner {
  if (client === undefined) return 'none'
  return client.role === 'DEVISE' ? 'device' : 'person'
}
