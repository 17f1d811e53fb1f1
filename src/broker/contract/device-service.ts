/** Storage contract for devices that a person took out of service. Types only. Dates are milliseconds since 1970. */
import type { AuditEntry } from '../../audit/audit.ts'

/** Time of a device out of service, as a person sets it. */
export interface NewService {
  /** Date of the end; null: until a person ends it. The storage measures the rest with its own clock. */
  readonly untilMs: number | null
  readonly reason: string
  /** Client that set it; null when access checks are off. */
  readonly by: string | null
}

/** Time of a device out of service that has not ended. */
export interface DeviceService extends NewService {
  readonly sinceMs: number
  /** Time until the end, in milliseconds; null without an end. */
  readonly forMs: number | null
}

/** Change of one device. */
export interface ServiceChange {
  readonly deviceId: string
  /** Null returns the device to service. */
  readonly service: NewService | null
  readonly audit: AuditEntry | null
}

export interface ServiceOutcome {
  readonly deviceId: string
  /** State after the change; null: the device is in service. */
  readonly service: DeviceService | null
  /** False if the device had this end and reason already, or was in service. */
  readonly isChanged: boolean
}
