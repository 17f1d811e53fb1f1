/** The version of this package, as its package.json has it. */
import { readFileSync } from 'node:fs'

export function version(): string {
  // Two levels up in the build, one in a clone.
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version
    } catch {}
  }
  return 'unknown'
}
