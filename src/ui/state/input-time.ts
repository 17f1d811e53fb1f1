/** Converts times to the values of fields for local times, and back. */

/** Returns a time as the value of a field for local times; empty for none. */
export function inputTime(atMs: number | null): string {
  if (atMs === null) return ''
  const date = new Date(atMs)
  return new Date(atMs - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function timeOf(value: string): number | null {
  return value === '' ? null : new Date(value).getTime()
}
