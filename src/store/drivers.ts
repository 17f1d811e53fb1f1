/** Lists the storage drivers. A new driver is a folder and a line here. */
import type { StoreDriver } from './driver.ts'
import { POSTGRES } from './postgres/driver.ts'

export const DRIVERS: readonly StoreDriver[] = [POSTGRES]

const FORMS = DRIVERS.map(({ form }) => form).join(' or ')

/** Returns the driver of a URL that has passed {@link storeUrlProblem}. */
export function driverOf(url: string): StoreDriver {
  const driver = find(url)
  if (driver === undefined) throw new Error('no driver has this URL')
  return driver
}

/** Returns why a text is no URL of a storage; null if it is one. The problem never contains the URL. */
export function storeUrlProblem(text: string): string | null {
  const scheme = schemeOf(text)
  if (scheme === undefined) return `expected ${FORMS}; leave it out for SQLite`
  const driver = find(text)
  if (driver) return driver.problem(text)
  return `there is no store ${scheme}://; expected ${FORMS}, or leave it out for SQLite in the data directory`
}

function find(url: string): StoreDriver | undefined {
  const scheme = schemeOf(url)
  return DRIVERS.find(({ schemes }) => scheme !== undefined && schemes.includes(scheme))
}

function schemeOf(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
}
