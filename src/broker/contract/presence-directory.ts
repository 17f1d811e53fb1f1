/** Contract by which the nodes of one installation know which devices are connected to other nodes. Knows no SQL. */
import type { PresenceChange } from '../views/presence.ts'

export interface RemoteDevice {
  readonly nodeId: number
  readonly deviceId: string
  readonly transport: string
}

/** Time at which a device polled, acknowledged or was connected, in milliseconds since 1970. */
export interface SeenDevice {
  readonly deviceId: string
  readonly atMs: number
}

export interface PresenceDirectory {
  /**
   * Stores a change on this node, and sends it to the other nodes as the news `presence`. Changes of a device keep
   * their order.
   */
  put(change: PresenceChange): Promise<void>

  /** Returns the devices that are connected to the other live nodes. */
  connected(): Promise<readonly RemoteDevice[]>

  livingNodes(): Promise<readonly number[]>

  /** Stores that devices were seen. Ignores a time earlier than the stored one. */
  seen(devices: readonly SeenDevice[]): Promise<void>

  /**
   * Returns devices that any node stored as seen.
   *
   * @param cursor result of the previous call; null returns all devices
   */
  seenSince(cursor: number | null): Promise<{ devices: readonly SeenDevice[]; cursor: number }>
}
