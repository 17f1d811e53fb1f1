/** Reads the version of this package from its package.json. */
import { readFileSync } from 'node:fs'

export function version(): string {
  // Three levels up in the build, two in a clone.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version
    } catch {}
  }
  return 'unknown'
}
