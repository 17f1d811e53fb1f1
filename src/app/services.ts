/** Creates the services of the broker's handlers (`this.services`). Opens nothing. */
import { withFailureLog } from '../auth/failure-log.ts'
import { Imports } from '../auth/imports.ts'
import { countOpenQueueClients } from '../auth/queue-access.ts'
import { BulkJobs } from '../broker/bulk/bulk-jobs.ts'
import { BulkProgress } from '../broker/bulk/bulk-progress.ts'
import { sendToMany } from '../broker/engine/multi-send.ts'
import { ServiceControl } from '../broker/engine/service-control.ts'
import { StatusWaits } from '../broker/engine/status-waits.ts'
import { Templates } from '../broker/engine/templates.ts'
import type { WaitLimit } from '../broker/engine/waits.ts'
import { Handovers } from '../broker/handover/handovers.ts'
import { incidentWatch } from '../broker/incidents/incident-watch.ts'
import { Incidents } from '../broker/incidents/incidents.ts'
import type { Recorder } from '../broker/incidents/recorder.ts'
import type { AlertFactsOptions } from '../broker/views/alert-facts.ts'
import { AlertList } from '../broker/views/alert-list.ts'
import { alertWatch } from '../broker/views/alert-watch.ts'
import { Feed } from '../broker/views/feed.ts'
import { LogWatch } from '../broker/views/log-watch.ts'
import { MessageExports } from '../broker/views/message-export.ts'
import { Messages } from '../broker/views/messages.ts'
import { Notes } from '../broker/views/notes.ts'
import { Overview } from '../broker/views/overview.ts'
import { PresenceHistory } from '../broker/views/presence-history.ts'
import { statisticsReport } from '../broker/views/statistics-report.ts'
import type { Settings } from '../config/settings.ts'
import { Exposition } from '../metrics/exposition.ts'
import type { HttpMetrics } from '../metrics/http-metrics.ts'
import type { Log } from '../process/log.ts'
import { version } from '../process/version.ts'
import type { Services } from '../services.ts'
import type { WebSocketEntrance } from '../transport/transport.ts'
import { identify, refusedToken } from './accounts.ts'
import { repeatedCompletion } from './audit-completion.ts'
import { deviceLists, devicesOf } from './devices.ts'
import type { Domain } from './domain.ts'
import { Health } from './health.ts'
import { recorderOf } from './incidents.ts'
import type { OpenTransports } from './open-transports.ts'
import { processFigures } from './process-figures.ts'
import { sharedBroker } from './shared-broker.ts'
import { systemOf } from './system.ts'
import { TRANSPORTS } from './transports.ts'

export interface ServiceParts extends Domain, OpenTransports {
  readonly settings: Settings
  readonly log: Log
  /** Returns the URL of the HTTP server; null before it listens. */
  readonly httpUrl: () => string | null
  readonly http: HttpMetrics
  /** Time between two readings of the incidents, in milliseconds; undefined for the usual time. */
  readonly recordingMs?: number | undefined
}

/** All services except the description of the API, which the site provides. */
export interface BrokerServices
  extends Omit<Services, 'describe' | 'imports' | 'bulk' | 'feed' | 'overview' | 'health'> {
  readonly health: Health
  readonly imports: Imports
  readonly bulk: BulkJobs
  readonly overview: Overview
  readonly feed: Feed
  readonly recorder: Recorder
  readonly waitLimit: WaitLimit
  /** Counts an error of REST by its code. */
  readonly refused: (code: string) => void
  readonly refusedToken: (authorization: string, address: string) => void
  /** Returns the WebSocket entrance of a transport for a path; null without one. */
  readonly webSocket: (path: string) => WebSocketEntrance | null
}

/** Codes of refused logins, which the list of rejections counts by their reasons. */
const LOGIN_ERRORS: readonly string[] = ['wrong-credentials', 'too-many-failures', 'too-many-logins']

export function createServices(parts: ServiceParts): BrokerServices {
  const { settings, log, storage, clients, logins, keys, accounts } = parts
  const { access, held, broker, clock, presence, statistics, rejections } = parts
  const { canActFor, transports, connections, dispatch, waitLimit, httpUrl } = parts
  const { rejectionLines, refusedLogins, duties } = parts
  const audit = repeatedCompletion(storage.audit, duties, log)
  const { permitAll, bodyLimit } = settings
  const { pauses, deviceSettings } = broker
  const messages = new Messages({
    messageLog: storage.messageLog,
    searches: storage.searches,
    messages: storage.messages,
    pauses,
    deviceSettings,
    clock,
    hold: (deviceId) => dispatch.hold(deviceId),
  })
  const lists = deviceLists(parts, settings)
  const facts: AlertFactsOptions = {
    store: storage.stats,
    presence,
    rejections,
    silent: lists.silent,
    deaf: broker.deaf,
    pauses,
    unanswered: broker.unanswered,
    refusedAnswers: broker.refusedAnswers,
    clockBehindMs: () => parts.deadlines.clockBehindMs,
    openQueueClients: () => countOpenQueueClients(clients.all(), settings.ownQueueOnly),
  }
  const recorder = recorderOf({ ...parts, facts })
  const alerts = new AlertList({
    facts,
    acks: storage.alertAcks,
    incidents: storage.incidents,
    messages: storage.messageLog,
    now: () => clock.wallMs(),
  })
  const bulk = new BulkJobs({
    source: {
      list: (...search) => messages.list(...search),
      getAll: (ids) => storage.messageLog.getAll(ids),
    },
    broker,
    clock,
    log,
    audit,
  })
  const history = new PresenceHistory({
    store: storage.presence,
    audit: storage.audit,
    incidents: storage.incidents,
    gatewayOf: parts.gatewayOf,
    recorder: parts.presenceRecorder,
    logDays: settings.deviceLogDays,
    clock,
  })
  const feed = new Feed({
    broker,
    presence,
    alerts: alertWatch({ alerts, log }),
    bulk: new BulkProgress({ bulk, clock }),
    incidents: incidentWatch({ store: storage.incidents, now: () => clock.wallMs(), log }),
    logs: new LogWatch({ history, presence, audit: storage.audit, log }),
  })
  const anyone = permitAll ? access.anyone() : null
  const urls = (): string[] =>
    [httpUrl(), ...transports.map(({ url }) => url)].filter((each) => each !== null)
  return {
    broker: sharedBroker({ broker, messages, bodyLimit, log }),
    queues: broker,
    waitLimit,
    pollWaits: dispatch.pollWaits,
    statusWaits: new StatusWaits({ broker, limit: waitLimit }),
    clients,
    logins,
    keys,
    canActFor,
    connections,
    rejections,
    accounts: withFailureLog(accounts, (failed) =>
      rejections.record({ ...failed, clientId: null, transport: 'REST' }),
    ),
    imports: new Imports(clients, audit, storage.nodes?.imports, duties),
    audit: storage.audit,
    refused: (code) => {
      if (!LOGIN_ERRORS.includes(code)) rejections.counts.add(code)
    },
    messages,
    bulk,
    multiSend: (...sent) => sendToMany({ broker, audit }, ...sent),
    templates: new Templates({
      templates: storage.templates,
      audit: storage.audit,
      broker,
      deviceOf: (clientId) => clients.deviceOf(clientId),
    }),
    devices: devicesOf({ ...parts, ...lists }),
    presence: history,
    deviceService: new ServiceControl({
      messages: storage.messages,
      devices: storage.devices,
      pauses,
      clock,
    }),
    notes: new Notes(storage.notes),
    overview: new Overview({
      store: storage.stats,
      statistics,
      presence,
      facts,
      connections: () => connections.count(),
      now: () => clock.wallMs(),
    }),
    alerts,
    incidents: new Incidents({
      store: storage.incidents,
      onRules: () => recorder.changed(),
      isClient: (deviceId) => clients.byDevice(deviceId) !== undefined,
      now: () => clock.wallMs(),
    }),
    handover: new Handovers({
      store: storage.handover,
      presenceStore: storage.presence,
      recorder: parts.presenceRecorder,
      statistics,
      logins,
      silent: lists.silent,
      pauses,
      presence,
      clock,
    }),
    statistics: {
      report: (query) => statisticsReport(statistics, query, clock.wallMs()),
      nowMs: () => clock.wallMs(),
    },
    health: new Health({
      store: storage.stats,
      isStorageReady: storage.ready,
      disk: parts.disk,
      transports,
      kinds: TRANSPORTS.map(({ name }) => name),
    }),
    metrics: new Exposition({
      version: version(),
      adapter: settings.adapter,
      http: parts.http,
      changes: parts.changes,
      parked: parts.parked,
      presence,
      connections,
      rejections,
      pauses,
      traffic: parts.traffic,
      transports: TRANSPORTS.map(({ name }) => name),
      store: storage.stats,
      storeMetrics: storage.metrics,
      waits: waitLimit,
      incidents: storage.incidents,
      incidentReads: recorder.reads,
      now: () => clock.wallMs(),
    }),
    system: systemOf({
      version: version(),
      settings,
      urls,
      store: storage.stats,
      clients: () => clients.all().length,
      figures: processFigures({
        syncs: storage.metrics.counts.syncs,
        monotonicMs: () => clock.monotonicMs(),
      }),
    }),
    exports: new MessageExports({ searches: storage.searches, messages }),
    backups: storage.backups,
    feed,
    recorder,
    webSocket: (path) =>
      transports.map(({ webSocket }) => webSocket).find((each) => each?.path === path) ?? null,
    access,
    held,
    identify: (authorization) => identify(accounts, anyone, authorization),
    refusedToken(authorization, address) {
      const rejection = refusedToken(authorization, address)
      rejectionLines.write(rejection)
      void refusedLogins.record(rejection)
    },
  }
}
