/** Leaves some devices out of what a storage reports for alerts. */
import type { StoreStats } from '../contract/store-stats.ts'

/** Reads of the storage from which alerts are derived. */
export type AlertStore = Pick<
  StoreStats,
  'oldest' | 'nearlyFull' | 'newest' | 'unknown' | 'failures' | 'failedAtMs'
>

/** Messages that a storage reads for the newest with a status. */
const MAX_NEWEST = 50

/** Returns the reads of a storage without what concerns some devices. Reads more, so that the limits still hold. */
export function withoutDevices(store: AlertStore, deviceIds: ReadonlySet<string>): AlertStore {
  if (deviceIds.size === 0) return store
  const isLeft = ({ deviceId }: { readonly deviceId: string }): boolean => !deviceIds.has(deviceId)
  return {
    get failedAtMs() {
      return store.failedAtMs
    },
    oldest: async (limit) => (await store.oldest(limit + deviceIds.size)).filter(isLeft).slice(0, limit),
    nearlyFull: async (limit) =>
      (await store.nearlyFull(limit + deviceIds.size)).filter(isLeft).slice(0, limit),
    newest: async (status, sinceMs, limit, without) =>
      (await store.newest(status, sinceMs, MAX_NEWEST, without)).filter(isLeft).slice(0, limit),
    unknown: (sinceMs) => store.unknown(sinceMs, [...deviceIds]),
    failures: async (sinceMs) => (await store.failures(sinceMs)).filter(isLeft),
  }
}
