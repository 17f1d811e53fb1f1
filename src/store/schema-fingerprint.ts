/** Tells schemas apart that have the same number of steps, as unreleased builds make them. Knows no database. */
import { createHash } from 'node:crypto'

/** Returns eight hexadecimal digits that change with each letter of the steps. */
export function schemaFingerprint(...steps: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 8)
}
