/** The contract by which the nodes of one installation know which devices are connected to the others. Knows no SQL. */
import type { PresenceChange } from '../views/presence.ts'

/** A device that is connected to another node. */
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
  /** Stores a change on this node, and tells the other nodes by the news `presence`. Changes of a device keep their order. */
  put(change: PresenceChange): Promise<void>

  /** Returns the devices that are connected to the other living nodes. */
  connected(): Promise<readonly RemoteDevice[]>

  /** Returns the numbers of the living nodes. */
  livingNodes(): Promise<readonly number[]>

  /** Stores that devices were seen. An earlier time than the stored one changes nothing. */
  seen(devices: readonly SeenDevice[]): Promise<void>

  /**
   * Returns devices that any node stored as seen.
   *
   * @param cursor result of the call before; null: all devices
   */
  seenSince(cursor: number | null): Promise<{ devices: readonly SeenDevice[]; cursor: number }>
}
