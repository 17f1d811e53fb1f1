/** All contracts of a storage driver together. A driver exports `open`, which returns them over one place of data. */
import type { ClientStore } from '../auth/clients.ts'
import type { DeviceStore } from '../broker/devices.ts'
import type { MessageLog } from '../broker/message-log.ts'
import type { MessageStore } from '../broker/store.ts'
import type { Backups, StoreStats } from '../broker/store-stats.ts'
import type { TemplateStore } from '../broker/templates.ts'

export interface Storage {
  readonly messages: MessageStore
  readonly messageLog: MessageLog
  readonly clients: ClientStore
  readonly devices: DeviceStore
  readonly templates: TemplateStore
  readonly stats: StoreStats
  readonly backups: Backups
  /** Commits what is pending, then closes. */
  close(): Promise<void>
}
