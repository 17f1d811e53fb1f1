/** Builds the value of `--store` in tests. */

/** Returns the value of `--store` for a server whose socket is in a directory. */
export function urlOfSocket(directory: string, schema: string): string {
  return `postgres://waybill@/waybill?host=${encodeURIComponent(directory)}&schema=${schema}`
}
