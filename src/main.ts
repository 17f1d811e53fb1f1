/** Builds the program from its parts (composition root): settings → storage → broker → transports → site. */

import { agreeOnSettings } from './app/agreed-settings.ts'
import { CloseStack } from './app/close-stack.ts'
import { openDomain } from './app/domain.ts'
import { ensureFirstAdmin } from './app/first-admin.ts'
import { foreignPageCheck } from './app/foreign-pages.ts'
import { announce, checkAdapter, listen } from './app/listen.ts'
import { openTransports } from './app/open-transports.ts'
import { startPurges } from './app/purges.ts'
import { requestLog } from './app/request-log.ts'
import { type BrokerServices, createServices } from './app/services.ts'
import { BROKER, defaultInfo, siteOf } from './app/site.ts'
import { startRecords } from './app/start-records.ts'
import { startSharing } from './app/start-sharing.ts'
import { createTransports } from './app/transports.ts'
import { warnOfOpenQueues, warnOfSettings } from './app/warn-of-settings.ts'
import { logChanges } from './audit/audit-log.ts'
import type { MaybePromise } from './broker/contract/store.ts'
import { StorageConditions } from './broker/engine/storage-conditions.ts'
import { startAlertLog } from './broker/views/alert-log.ts'
import { attemptDurations } from './broker/vocabulary/attempts.ts'
import { type Clock, systemClock } from './broker/vocabulary/clock.ts'
import type { Settings } from './config/read.ts'
import { HttpMetrics } from './metrics/http-metrics.ts'
import { urlOf } from './net/address.ts'
import { openTls } from './net/tls.ts'
import type { Log } from './process/log.ts'
import { reloader } from './runner/drop-in.ts'
import { logUnexpected } from './runner/unexpected.ts'
import type { StoreOptions } from './store/driver.ts'
import { openStore } from './store/open.ts'
import { whyStopped } from './store/sqlite/database/faults.ts'
import type { Storage } from './store/storage.ts'
import type { Transport, TransportContext } from './transport/transport.ts'
import { App } from './web/app.ts'
import { Lifecycle } from './web/lifecycle.ts'

export interface Running {
  readonly url: string
  /** Logs a rejection that nothing handles, so that the process continues. Null if it must stop the server. */
  readonly onRejection: ((reason: unknown) => void) | null
  /**
   * Refuses new requests, lets running requests finish for at most `graceMs`, and closes the storage.
   *
   * @param cause name of a signal, or an uncaught error
   */
  close(graceMs: number, cause: string | Error): Promise<void>
}

export interface Replaced {
  /** Opens the storage, if the tree of the broker is among the prefixes. */
  readonly open?: (options: StoreOptions) => MaybePromise<Storage>
  /** Clock for intervals, and for the deadlines and dates of messages. */
  readonly clock?: Clock
  /** Time between two readings of the incidents, in milliseconds. */
  readonly recordingMs?: number
}

/**
 * Starts a server.
 *
 * @throws {StartError} {TreeError}, and any error of a tree's own services
 */
export async function start(
  settings: Settings,
  log: Log,
  { open = openStore, clock = systemClock, recordingMs }: Replaced = {},
): Promise<Running> {
  const closing = new CloseStack()
  let url: string | null = null
  let storage: Storage | null = null
  const openAndKeep = async (options: StoreOptions): Promise<Storage> => {
    storage = await open(options)
    return storage
  }
  warnOfSettings(settings, log)
  try {
    const tls = openTls(settings, log)
    closing.add(() => tls?.close())
    // Read the site first, so that a mistake in an endpoint file prevents the start before a data directory is created.
    const site = await siteOf(settings)
    await checkAdapter(settings)
    const isBroker = site.prefixes.some(({ path }) => path === BROKER)
    const http = new HttpMetrics()
    const opened = isBroker
      ? await openBroker(
          { settings, log, tls, http },
          { open: openAndKeep, clock, recordingMs },
          () => url,
          closing,
        )
      : null
    const ownServices = opened?.services ?? null
    const info = defaultInfo(site)
    const app = new App({
      site,
      bodyLimit: settings.bodyLimit,
      log,
      info,
      problems: true,
      check: isBroker && settings.permitAll ? foreignPageCheck(settings) : undefined,
      observers: [...requestLog(settings, log), ...(ownServices ? [http.observe] : [])],
      refused: (code) => ownServices?.refused(code),
    })
    const broker = ownServices?.broker ?? null
    const context = {
      settings,
      log,
      broker,
      ownServices,
      describe: () => app.describe(),
      get info() {
        return app.info
      },
    }
    const lifecycle = new Lifecycle(site, context, log)
    await lifecycle.open()
    closing.add(() => lifecycle.close())
    if (settings.watch) {
      const { watchPrefixes } = await import('./runner/watch.ts')
      closing.add(await watchPrefixes(site, lifecycle, reloader, log))
    }
    const server = await listen(app, settings, tls, log)
    url = urlOf(tls ? 'https' : 'http', server)
    // Create the admin before the address is logged, so that a reader of the log can sign in at once.
    const logFirstAdmin = await opened?.ensureFirstAdmin().catch(async (error: unknown) => {
      await server.close(0)
      throw error
    })
    ownServices?.health.started()
    announce(settings, site.prefixes, server, { url, transports: opened?.transports ?? null }, log)
    logFirstAdmin?.()
    return {
      url,
      onRejection: settings.watch
        ? (reason) =>
            logUnexpected(
              log,
              reason,
              site.prefixes,
              'under --watch the server continues, otherwise it stops',
            )
        : null,
      async close(graceMs, cause) {
        if (typeof cause === 'string') log.info({ signal: cause }, `${cause}: stopping`)
        else logUnexpected(log, cause, site.prefixes, 'stopping')
        ownServices?.health.stopping()
        lifecycle.drain()
        opened?.beginShutdown()
        await server.close(graceMs)
        await closing.close()
        log.info({}, 'stopped')
      },
    }
  } catch (error) {
    // A failing close, such as a write that the database does not answer, is not the reason for the failed start.
    await closing.close().catch(() => {})
    throw (storage as Storage | null)?.startProblem?.(error) ?? error
  }
}

interface OpenOptions extends Required<Pick<Replaced, 'open' | 'clock'>> {
  readonly recordingMs: number | undefined
}

interface OpenBroker {
  readonly services: BrokerServices
  readonly transports: readonly Transport[]
  readonly beginShutdown: () => void
  readonly ensureFirstAdmin: () => ReturnType<typeof ensureFirstAdmin>
}

/** Opens storage, broker and transports, and creates the services of the broker's handlers. */
async function openBroker(
  context: TransportContext & { readonly log: Log; readonly http: HttpMetrics },
  { open, clock, recordingMs }: OpenOptions,
  httpUrl: () => string | null,
  closing: CloseStack,
): Promise<OpenBroker> {
  const { settings, log, http } = context
  const conditions = new StorageConditions({ log, clock })
  const storage = await open({
    directory: settings.dataDir,
    store: settings.store,
    allowsLoss: settings.allowDataLoss,
    log,
    onFailure: (error) => log.error({ code: 'storage-failed', err: error }, whyStopped(error)),
    observer: conditions,
    onStep: ({ number, steps, ms }) =>
      log.info({ step: number, steps, ms }, `schema step ${number} of ${steps} took ${ms} ms`),
    limits: { messages: settings.queueLimit, bytes: settings.queueBytes },
    durationsMs: attemptDurations(settings.responseTimeoutMs),
    clock,
  })
  closing.add(() => storage.close())
  if (storage.shared) await agreeOnSettings(storage.shared, settings)
  const domain = await openDomain(storage, settings, log, clock)
  conditions.disk = domain.disk
  closing.add(() => domain.duties.close())
  closing.add(() => domain.logins.write())
  closing.add(() => domain.disk.close())
  await domain.disk.start()
  closing.add(logChanges({ audit: storage.audit, log }))
  closing.add(startPurges({ ...domain, settings, log }))
  // Deadlines that passed while the server was stopped are processed before the first dispatch.
  closing.add(() => domain.deadlines.close())
  await domain.deadlines.start()
  closing.add(() => domain.broker.attempts.close())
  domain.broker.attempts.start()
  closing.add(() => domain.rejectionLines.close())
  closing.add(() => domain.broker.pauses.close())
  closing.add(() => domain.broker.refusedAnswers.close())
  closing.add(() => domain.refusedLogins.close())
  closing.add(await startSharing(domain, log))
  const { statistics, presenceRecorder } = domain
  await presenceRecorder.start()
  await domain.downtime.load()
  const records = [
    {
      name: 'statistics',
      flushDue: () => statistics.flushDue(),
      close: () => statistics.flush(),
    },
    {
      name: 'times of presence',
      flushDue: () => presenceRecorder.flushDue(),
      close: () => presenceRecorder.close(),
    },
  ]
  closing.add(startRecords(records, log))
  warnOfOpenQueues(domain.clients, settings, log)
  const transports = await openTransports(domain, createTransports(context), context, closing)
  const services = createServices({ ...domain, ...transports, settings, log, httpUrl, http, recordingMs })
  closing.add(startAlertLog({ find: () => services.overview.alerts(), log, begun: ['QUEUES_OPEN'] }))
  closing.add(() => Promise.all([services.imports.close(), services.bulk.close()]))
  closing.add(() => services.feed.close())
  closing.add(() => services.recorder.close())
  services.recorder.start()
  return {
    services,
    transports: transports.transports,
    beginShutdown: () => storage.beginShutdown?.(),
    ensureFirstAdmin: () => ensureFirstAdmin({ ...domain, settings, log }),
  }
}
