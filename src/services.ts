/** What an endpoint of the broker may ask for in `this.services`. Types only. */

import type { System } from './app/system.ts'
import type { Accounts } from './auth/accounts.ts'
import type { ClientList } from './auth/client-list.ts'
import type { Imports } from './auth/imports.ts'
import type { CanActFor } from './auth/queue-access.ts'
import type { Broker } from './broker/broker.ts'
import type { Devices } from './broker/devices.ts'
import type { Feed } from './broker/feed.ts'
import type { Messages } from './broker/messages.ts'
import type { Overview } from './broker/overview.ts'
import type { RejectionLog } from './broker/rejection-log.ts'
import type { Backups } from './broker/store-stats.ts'
import type { Templates } from './broker/templates.ts'
import type { Connections } from './transport/connections.ts'
import type { Identity } from './web/endpoint.ts'
import type { Description } from './web/openapi.ts'

export type { DispatchedMessage } from './broker/message.ts'

export interface Services {
  readonly broker: Pick<Broker, 'enqueue' | 'poll' | 'sendFailed' | 'acknowledge' | 'cancel' | 'status'>
  readonly accounts: Pick<Accounts, 'login' | 'check' | 'session'>
  readonly canActFor: CanActFor
  readonly messages: Pick<Messages, 'list' | 'get'>
  readonly templates: Pick<Templates, 'list' | 'get' | 'create' | 'remove' | 'send'>
  readonly devices: Pick<Devices, 'list' | 'get' | 'changeSettings'>
  readonly overview: Pick<Overview, 'snapshot'>
  readonly connections: Pick<Connections, 'list' | 'end'>
  readonly rejections: Pick<RejectionLog, 'all'>
  readonly system: () => Promise<System>
  readonly backups: Backups
  readonly feed: Pick<Feed, 'follow'>
  /** Who calls, from the value of the Authorization header; null when that proves nobody. */
  readonly identify: (authorization: string | undefined) => Identity | null
  readonly imports: Pick<Imports, 'plan' | 'start' | 'get'>
  readonly clients: Pick<ClientList, 'all' | 'get' | 'create' | 'change' | 'remove'>
  /** What all trees answer, in OpenAPI. The same object until a tree is read again. */
  readonly describe: () => Description
}

/** `class Request extends Endpoint<Uses<'broker'>>` */
export type Uses<Name extends keyof Services> = Pick<Services, Name>
