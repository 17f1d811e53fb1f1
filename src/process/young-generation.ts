/**
 * Keeps the young generation of V8's heap small while a server loads its modules. It would grow to its maximum, 32 MB, and
 * V8 shrinks it only in a full collection of an idle process, which may never come.
 */
import { setFlagsFromString } from 'node:v8'

/** Factor by which the young generation grows when many of its objects survive; a flag of V8, whose default is 2. */
const GROWTH = '--semi-space-growth-factor'

/** Stops the growth of the young generation until {@link allowGrowth}. */
export function preventGrowth(): void {
  setFlagsFromString(`${GROWTH}=1`)
}

export function allowGrowth(): void {
  setFlagsFromString(`${GROWTH}=2`)
}
