/** Builds the shell command that sends a message again. */
import type { MessageDetail } from './message.ts'

/** Returns a `curl` command for a POSIX shell. @param server URL of the server, `https://HOST:PORT` */
export function curlCommand(
  { deviseId, command, deliveryGuarantee, data }: MessageDetail,
  server: string,
): string {
  const head = JSON.stringify({ command, believerGuarantee: deliveryGuarantee })
  const path = encodeURIComponent(deviseId)
  return `curl -X PUT ${shellQuote(`${server}/producer/request/${path}`)} \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  --data-binary ${shellQuote(`${head.slice(0, -1)},"data":${data}}`)}
`
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
