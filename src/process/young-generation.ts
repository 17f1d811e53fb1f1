/**
 * Keeps the young generation of V8's heap small while a server loads its modules. It would grow to its maximum, 32 MB, and
 * V8 shrinks it only in a full collection of an idle process, which may never come.
 */
import { setFlagsFromString } from 'node:v8'

/** Factor by which the young generation grows when many of its objects survive; a flag of V8. */
const GROWTH = '--semi-space-growth-factor'
/** Grows to the maximum at once. With V8's default, 2, the first half minute of a load is collected more often. */
const TO_MAXIMUM = 16

/** Stops the growth of the young generation until {@link allowGrowth}. */
export function preventGrowth(): void {
  setFlagsFromString(`${GROWTH}=1`)
}

/** Lets the young generation grow as soon as the load needs it. */
export function allowGrowth(): void {
  setFlagsFromString(`${GROWTH}=${TO_MAXIMUM}`)
}
