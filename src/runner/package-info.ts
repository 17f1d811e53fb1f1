/** Reads the title and version of an API from the package of its endpoint files. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ApiInfo } from '../web/api-info.ts'

/** Returns name and version of the nearest package.json in a directory or above. Defaults: `API` and `0`. */
export function packageInfo(directory: string): ApiInfo {
  const { name, version } = nearestPackage(directory)
  return { title: textOr('API', name), version: textOr('0', version) }
}

/** Parts of a package.json, not checked. */
interface PackageJson {
  readonly name?: unknown
  readonly version?: unknown
  readonly type?: unknown
}

/** Returns the nearest package.json in a directory or above; an empty object without one. */
export function nearestPackage(directory: string): PackageJson {
  let text: string
  try {
    text = readFileSync(join(directory, 'package.json'), 'utf8')
  } catch {
    const above = dirname(directory)
    return above === directory ? {} : nearestPackage(above)
  }
  try {
    return JSON.parse(text) ?? {}
  } catch {
    // npm and Node report a malformed file where it matters.
    return {}
  }
}

function textOr(fallback: string, value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}
