/** Reads the version of this package from its package.json. */
import { readFileSync } from 'node:fs'

let known: string | undefined

/** Returns the version of this package; `unknown` without a package.json. Reads the file once. */
export function version(): string {
  known ??= read()
  return known
}

function read(): string {
  // The file is two levels up in a clone, three in the build.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version
    } catch {}
  }
  return 'unknown'
}
