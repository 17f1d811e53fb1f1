/**
 * Counts delivery times in 32 buckets, four per decade, and estimates percentiles from them. The bounds are part of the
 * stored format.
 */

/** Number of buckets. The last bucket has no upper bound: it begins at about 88 hours. */
export const DELIVERY_BUCKETS = 32
/** Upper bound of the first bucket, in milliseconds. */
const FIRST_MS = 10
const BUCKETS_PER_DECADE = 4

/** Returns the index of the bucket for a time in milliseconds. The time is negative if the clock was set back. */
export function deliveryBucket(ms: number): number {
  if (ms < FIRST_MS) return 0
  return Math.min(DELIVERY_BUCKETS - 1, 1 + Math.floor(Math.log10(ms / FIRST_MS) * BUCKETS_PER_DECADE))
}

/** Returns the lower bound of a bucket, in milliseconds. */
function lowerMs(bucket: number): number {
  return bucket === 0 ? 0 : FIRST_MS * 10 ** ((bucket - 1) / BUCKETS_PER_DECADE)
}

/**
 * Estimates a percentile of the delivery times in milliseconds. The error is at most one bucket, a factor of 1.8.
 * Returns null without deliveries.
 *
 * @param buckets number of deliveries by bucket
 * @param share from 0 to 1
 */
export function deliveryPercentile(buckets: readonly number[], share: number): number | null {
  const sum = buckets.reduce((a, b) => a + b, 0)
  if (sum === 0) return null
  let left = share * sum
  const last = buckets.findLastIndex((count) => count > 0)
  const bucket = buckets.findIndex((count, i) => {
    if (count > 0 && (left <= count || i === last)) return true
    left -= count
    return false
  })
  const part = Math.min(1, left / (buckets[bucket] as number))
  const [from, to] = [lowerMs(bucket), lowerMs(bucket + 1)]
  // The buckets grow by a factor, so a position inside a bucket is a share of the factor.
  return Math.round(bucket === 0 ? to * part : from * (to / from) ** part)
}

/** Adds counts by bucket; null adds nothing. */
export function sumBuckets(
  a: readonly number[] | null,
  b: readonly number[] | null,
): readonly number[] | null {
  if (a === null || b === null) return a ?? b
  return a.map((count, i) => count + (b[i] ?? 0))
}
