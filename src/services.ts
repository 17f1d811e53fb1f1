/** Defines the services that the broker's own handlers use by `this.services`. Types only. */

import type { Health } from './app/health.ts'
import type { SharedServices } from './app/shared-services.ts'
import type { System } from './app/system.ts'
import type { AuditEntry, AuditStore } from './audit/audit.ts'
import type { AccessControl } from './auth/access.ts'
import type { Accounts } from './auth/accounts.ts'
import type { ClientList } from './auth/client-list.ts'
import type { Grant } from './auth/grant.ts'
import type { HeldAccess } from './auth/held-access.ts'
import type { Imports } from './auth/imports.ts'
import type { KeyList } from './auth/key-list.ts'
import type { LoginTimes } from './auth/login-times.ts'
import type { CanActFor } from './auth/queue-access.ts'
import type { BulkJobs } from './broker/bulk/bulk-jobs.ts'
import type { Backups } from './broker/contract/store-stats.ts'
import type { Broker } from './broker/engine/broker.ts'
import type { SentLine } from './broker/engine/multi-send.ts'
import type { PollWaits } from './broker/engine/poll-waits.ts'
import type { ServiceControl } from './broker/engine/service-control.ts'
import type { StatusWaits } from './broker/engine/status-waits.ts'
import type { Templates } from './broker/engine/templates.ts'
import type { Handovers } from './broker/handover/handovers.ts'
import type { Incidents } from './broker/incidents/incidents.ts'
import type { AlertList } from './broker/views/alert-list.ts'
import type { Devices } from './broker/views/devices.ts'
import type { Feed } from './broker/views/feed.ts'
import type { MessageExports } from './broker/views/message-export.ts'
import type { Messages } from './broker/views/messages.ts'
import type { Notes } from './broker/views/notes.ts'
import type { Overview } from './broker/views/overview.ts'
import type { PresenceHistory } from './broker/views/presence-history.ts'
import type { RejectionLog } from './broker/views/rejection-log.ts'
import type { ReportQuery, StatisticsReport } from './broker/views/statistics-report.ts'
import type { Submission } from './broker/vocabulary/message.ts'
import type { MeaningLanguage } from './config/meanings.ts'
import type { Exposition } from './metrics/exposition.ts'
import type { ConnectionRegistry } from './transport/connections.ts'

export type { DispatchedMessage, MessageParties } from './broker/vocabulary/message.ts'

export interface Services extends SharedServices {
  readonly queues: Pick<
    Broker,
    | 'enqueue'
    | 'poll'
    | 'sendFailed'
    | 'acknowledge'
    | 'refuseAnswer'
    | 'setBusy'
    | 'cancel'
    | 'cancelAll'
    | 'replay'
    | 'replayAll'
    | 'status'
    | 'deviceSettings'
  >
  readonly pollWaits: Pick<PollWaits, 'wait'>
  readonly statusWaits: Pick<StatusWaits, 'answer'>
  readonly accounts: Pick<Accounts, 'login' | 'check'>
  readonly access: Pick<AccessControl, 'isCurrent' | 'renewed'>
  /** Registers a holder of an access beyond the check of a request. */
  readonly held: Pick<HeldAccess, 'hold' | 'by'>
  readonly canActFor: CanActFor
  readonly messages: Pick<
    Messages,
    'list' | 'listed' | 'count' | 'suggest' | 'neighbours' | 'get' | 'getAll' | 'resends'
  >
  readonly bulk: Pick<BulkJobs, 'plan' | 'start' | 'all' | 'get' | 'stop'>
  readonly multiSend: (
    command: Omit<Submission, 'deviceId'>,
    deviceIds: readonly string[],
    key: string | null,
    entry: AuditEntry,
  ) => Promise<SentLine[]>
  readonly templates: Pick<
    Templates,
    'list' | 'get' | 'create' | 'replace' | 'remove' | 'send' | 'sendToDevices'
  >
  readonly devices: Pick<
    Devices,
    'list' | 'get' | 'search' | 'detail' | 'queue' | 'counts' | 'changeSettings'
  >
  readonly presence: Pick<PresenceHistory, 'report' | 'log' | 'runs' | 'nowMs'>
  readonly deviceService: Pick<ServiceControl, 'of' | 'countExpiring' | 'start' | 'end' | 'changeAll'>
  readonly notes: Pick<Notes, 'list' | 'add' | 'remove'>
  readonly overview: Pick<Overview, 'snapshot'>
  readonly alerts: Pick<AlertList, 'list' | 'incidentIds' | 'acknowledge' | 'reopen'>
  readonly incidents: Pick<Incidents, 'list' | 'get' | 'members' | 'change' | 'note' | 'rules' | 'setRules'>
  readonly handover: Pick<Handovers, 'read'>
  readonly connections: Pick<ConnectionRegistry, 'list' | 'search' | 'clientOf' | 'end'>
  readonly statistics: {
    report(query: ReportQuery): Promise<StatisticsReport>
    /** Returns the time by the clock of the statistics. */
    nowMs(): number
  }
  readonly audit: Pick<AuditStore, 'add' | 'list'>
  readonly rejections: Pick<RejectionLog, 'all'>
  readonly health: Pick<Health, 'checks'>
  readonly metrics: Pick<Exposition, 'text'>
  readonly system: (language: MeaningLanguage) => Promise<System>
  readonly exports: Pick<MessageExports, 'open'>
  readonly backups: Backups
  readonly feed: Pick<Feed, 'follow'>
  /** Returns the grant of an Authorization header, whose token may be an API key; null for an invalid header. */
  readonly identify: (authorization: string | undefined) => Grant | null
  readonly imports: Pick<Imports, 'plan' | 'withPasswords' | 'start' | 'get'>
  readonly keys: Pick<KeyList, 'of' | 'create' | 'remove'>
  readonly logins: Pick<LoginTimes, 'all'>
  readonly clients: Pick<ClientList, 'byDevice' | 'all' | 'get' | 'create' | 'change' | 'remove'>
}

/** Selects the services of a handler, as in `class Request extends Endpoint<UsesOwn<'queues'>>`. */
export type UsesOwn<Name extends keyof Services> = Pick<Services, Name>
