/** Lists the times out of service that began, ended, end soon or last long, and the notes about devices. Pure. */
import type { HandoverService, ServiceLine } from '../contract/handover-store.ts'
import { type HandoverSources, type ServiceItem, SOON_MS } from './parts.ts'

/** Duration from which a time out of service lasts long, in milliseconds. */
const LONG_MS = 7 * 86_400_000

/** Returns all items but the first notes only. */
export function serviceItems(sources: HandoverSources): ServiceItem[] {
  const { services, serviceLines, notes } = sources.rows
  const items = services.map((service) => itemOf(service, sources)).filter((item) => item !== null)
  const of = (kind: ServiceItem['kind']) => items.filter((item) => item.kind === kind)
  return [
    ...of('BEGAN'),
    ...serviceLines.filter(({ detail }) => detail.end === true).map(endedByPerson),
    ...of('ENDED'),
    ...of('ENDS_SOON'),
    ...of('LASTS_LONG'),
    ...notes.rows.map(({ deviceId, atMs, by, text }) => {
      return { kind: 'NOTE', deviceId, atMs, untilMs: null, by, text } as const
    }),
  ]
}

/** Returns the item of a time out of service that no person ended; null if nothing is to be said. */
function itemOf(service: HandoverService, { range, nowMs }: HandoverSources): ServiceItem | null {
  const { deviceId, sinceMs, untilMs, reason: text, by } = service
  const item = { deviceId, atMs: sinceMs, untilMs, by, text }
  if (untilMs !== null && untilMs < Math.min(range.toMs, nowMs))
    return { ...item, kind: 'ENDED', atMs: untilMs }
  if (sinceMs >= range.fromMs) return { ...item, kind: 'BEGAN' }
  if (untilMs !== null && untilMs <= range.toMs + SOON_MS) return { ...item, kind: 'ENDS_SOON' }
  return range.toMs - sinceMs > LONG_MS ? { ...item, kind: 'LASTS_LONG' } : null
}

function endedByPerson({ deviceId, atMs, by }: ServiceLine): ServiceItem {
  return { kind: 'ENDED', deviceId, atMs, untilMs: null, by, text: null }
}
