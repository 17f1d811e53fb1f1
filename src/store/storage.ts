/** All contracts of a storage driver together. A driver exports `open`, which returns them over one place of data. */
import type { ClientStore } from '../auth/clients.ts'
import type { MessageArchive } from '../broker/archive.ts'
import type { DeviceStore } from '../broker/devices.ts'
import type { Backups, StoreState } from '../broker/state.ts'
import type { MessageStore } from '../broker/store.ts'
import type { TemplateStore } from '../broker/templates.ts'

export interface Storage {
  readonly messages: MessageStore
  readonly archive: MessageArchive
  readonly clients: ClientStore
  readonly devices: DeviceStore
  readonly templates: TemplateStore
  readonly state: StoreState
  readonly backups: Backups
  /** Commits what is pending, then closes. */
  close(): Promise<void>
}
