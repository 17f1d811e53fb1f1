/** Names what helps against an incident. Knows neither HTTP nor SQL, and changes nothing. docs: docs/incidents.md. */
import type { IncidentMember, IncidentRecord } from '../contract/incident-store.ts'
import { FAILURE_KINDS } from './causes.ts'

/**
 * RESEND: send the failed commands again. REPLAY: return the parked messages to their queues. SERVICE: take the devices out
 * of service. PASSWORD: set a new password for the client. OPEN_DEVICE: look at the device.
 */
export const INCIDENT_ACTIONS = ['RESEND', 'REPLAY', 'SERVICE', 'PASSWORD', 'OPEN_DEVICE'] as const
export type IncidentActionName = (typeof INCIDENT_ACTIONS)[number]

export interface IncidentHelp {
  readonly action: IncidentActionName
  /** Number of messages or devices that the action is about. */
  readonly count: number
  /** Devices that the action is about; empty for an action on messages. */
  readonly deviceIds: readonly string[]
}

/** Maximum devices that one action takes out of service. */
const MAX_DEVICES = 1_000

/**
 * Returns what helps against an incident that has not ended, the best first.
 *
 * @param members members that have not ended
 * @param isClient returns whether a client has an id
 */
export function helpFor(
  { kind }: Pick<IncidentRecord, 'kind'>,
  members: readonly IncidentMember[],
  isClient: (deviceId: string) => boolean,
): readonly IncidentHelp[] {
  const deviceIds = [...new Set(members.flatMap(({ deviceId }) => deviceId ?? []))]
  const [deviceId] = deviceIds
  const only = deviceIds.length === 1 && deviceId !== undefined ? deviceId : null
  if (kind === 'ADDRESS') {
    return only !== null && isClient(only) ? [{ action: 'PASSWORD', count: 1, deviceIds }] : []
  }
  const failed = sum(members.filter((each) => FAILURE_KINDS.includes(each.kind)))
  const parked = sum(members.filter((each) => each.kind === 'PARKED'))
  const again: IncidentHelp[] = [
    ...(parked > 0 ? [{ action: 'REPLAY', count: parked, deviceIds: [] } as const] : []),
    ...(failed > 0 ? [{ action: 'RESEND', count: failed, deviceIds: [] } as const] : []),
  ]
  const open: IncidentHelp[] = only === null ? [] : [{ action: 'OPEN_DEVICE', count: 1, deviceIds }]
  const hasDevices = deviceIds.length > 0 && deviceIds.length <= MAX_DEVICES
  const service: IncidentHelp[] = hasDevices
    ? [{ action: 'SERVICE', count: deviceIds.length, deviceIds }]
    : []
  const isOfCommand = (FAILURE_KINDS as readonly string[]).includes(kind)
  return isOfCommand ? [...again, ...open, ...service] : [...open, ...again, ...service]
}

function sum(members: readonly IncidentMember[]): number {
  return members.reduce((total, { count }) => total + (count ?? 1), 0)
}
