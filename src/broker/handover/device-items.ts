/** Lists what happened to devices in a range: silent, flapping, refused, returned, first seen. Pure. */
import type { HandoverEvent } from '../contract/handover-store.ts'
import type { DeviceItem, HandoverSources } from './parts.ts'

/** Reasons of refused logins. Other refusals are about messages and connections. */
const LOGIN_REASONS: readonly unknown[] = [
  'WRONG_CREDENTIALS',
  'NO_CREDENTIALS',
  'ROLE_NOT_ALLOWED',
  'TOO_MANY_FAILURES',
  'TOO_MANY_LOGINS',
  'WRONG_KEY',
]

/** Difference of two clocks about the time of one sighting, in milliseconds. */
const SAME_MS = 1_000

/** Returns all items, but the first ones only of the devices that are new. */
export function deviceItems({ rows, silent, seenMsOf, range }: HandoverSources): DeviceItem[] {
  const { events, returned, firstSeen } = rows
  const plain = { sinceMs: null, count: null, reason: null }
  return [
    ...silent
      .filter(({ sinceMs }) => sinceMs < range.toMs)
      .map(({ deviceId, sinceMs }) => ({ ...plain, kind: 'SILENT', deviceId, atMs: sinceMs }) as const),
    ...byDevice(events, 'FLAPPING', ({ detail, count }) =>
      typeof detail.connects === 'number' ? detail.connects : count,
    ),
    ...byDevice(
      events.filter(({ detail }) => LOGIN_REASONS.includes(detail.reason)),
      'REFUSED',
      ({ count }) => count,
    ),
    // A device that was not seen since is out of service, or has another setting.
    ...returned
      .filter(({ deviceId, sinceMs }) => (seenMsOf(deviceId) ?? 0) > sinceMs + SAME_MS)
      .map(({ deviceId, atMs, sinceMs }) => {
        return { ...plain, kind: 'RETURNED', deviceId, atMs, sinceMs } as const
      }),
    ...firstSeen.rows.map(({ deviceId, atMs }) => {
      return { ...plain, kind: 'FIRST_SEEN', deviceId, atMs } as const
    }),
  ]
}

/** Joins the events of each device, the most frequent first. The events are the newest first. */
function byDevice(
  events: readonly HandoverEvent[],
  kind: HandoverEvent['kind'],
  countOf: (event: HandoverEvent) => number,
): DeviceItem[] {
  const items = new Map<string, DeviceItem & { readonly count: number }>()
  for (const event of events) {
    if (event.kind !== kind) continue
    const { deviceId, lastMs, detail } = event
    const latest = items.get(deviceId)
    const reason = kind === 'REFUSED' && typeof detail.reason === 'string' ? detail.reason : null
    items.set(deviceId, {
      kind,
      deviceId,
      atMs: Math.max(lastMs, latest?.atMs ?? 0),
      sinceMs: null,
      count: countOf(event) + (latest?.count ?? 0),
      reason: latest === undefined ? reason : latest.reason,
    })
  }
  return [...items.values()].sort((one, other) => other.count - one.count)
}
