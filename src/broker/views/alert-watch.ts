/** Watches the alerts: finds those that began, changed or ended. */
import type { Log } from '../../process/log.ts'
import { Watch } from '../engine/watch.ts'
import type { AlertList, ListedAlert } from './alert-list.ts'

export interface AlertChange {
  readonly key: string
  readonly kind: ListedAlert['kind']
  readonly deviceId: string | null
  readonly state: 'OPEN' | 'ACKNOWLEDGED' | 'ENDED'
  /** Number of messages or logins; null for an alert without a number. */
  readonly count: number | null
  /** Number of all open alerts after the change. */
  readonly open: number
}

export interface AlertWatchOptions {
  readonly alerts: Pick<AlertList, 'present' | 'onAcknowledge'>
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly periodMs?: number
}

/**
 * Returns a watch of the alerts. Its first listener also receives all current alerts, because an alert may have begun
 * before the first reading.
 */
export function alertWatch({ alerts, log, periodMs }: AlertWatchOptions): Watch<AlertChange> {
  /** Alerts of the latest reading by key; empty before the first. */
  let present: ReadonlyMap<string, ListedAlert> = new Map()
  return new Watch({
    begin: (read) => {
      present = new Map()
      return alerts.onAcknowledge(read)
    },
    changes: async () => {
      const found = new Map((await alerts.present()).map((alert) => [alert.key, alert]))
      const changes = changesOf(present, found)
      present = found
      return changes
    },
    failure: 'the alerts could not be read',
    log,
    periodMs,
  })
}

function changesOf(
  before: ReadonlyMap<string, ListedAlert>,
  found: ReadonlyMap<string, ListedAlert>,
): AlertChange[] {
  const open = [...found.values()].filter(({ acknowledged }) => acknowledged === null).length
  const changeOf = (
    { key, kind, deviceId, count }: ListedAlert,
    state: AlertChange['state'],
  ): AlertChange => {
    return { key, kind, deviceId, state, count, open }
  }
  const ended = [...before.values()].filter(({ key }) => !found.has(key))
  const changed = [...found.values()].filter(
    (alert) => signatureOf(before.get(alert.key)) !== signatureOf(alert),
  )
  return [
    ...ended.map((alert) => changeOf(alert, 'ENDED')),
    ...changed.map((alert) => changeOf(alert, stateOf(alert))),
  ]
}

const stateOf = ({ acknowledged }: ListedAlert): 'OPEN' | 'ACKNOWLEDGED' =>
  acknowledged === null ? 'OPEN' : 'ACKNOWLEDGED'

/** Returns a text that differs after a change of an alert. A growing duration is no change. */
function signatureOf(alert: ListedAlert | undefined): string {
  return alert ? JSON.stringify([stateOf(alert), alert.count, alert.messageId, alert.lastMs]) : ''
}
