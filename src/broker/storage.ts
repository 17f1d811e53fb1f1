/** All contracts of a storage driver together. A driver exports `open`, which returns them over one place of data. */
import type { ClientStore } from '../auth/clients.ts'
import type { MessageArchive } from './archive.ts'
import type { DeviceStore } from './devices.ts'
import type { Backups, StoreState } from './state.ts'
import type { MessageStore } from './store.ts'
import type { TemplateStore } from './templates.ts'

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
