/** Distinguishes schemas with the same number of steps, such as those of unreleased builds. Knows no database. */
import { createHash } from 'node:crypto'

/** Returns eight hexadecimal digits that change with each letter of the steps. */
export function schemaFingerprint(...steps: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 8)
}
