/** A message as a command for a shell that sends it again. */
import type { Message } from './message.ts'

/** @param server `https://HOST:PORT` */
export function curlOf({ deviseId, command, deliveryGuarantee, data }: Message, server: string): string {
  const head = JSON.stringify({ command, believerGuarantee: deliveryGuarantee })
  const path = encodeURIComponent(deviseId)
  return `curl -X PUT ${quoted(`${server}/producer/request/${path}`)} \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  --data-binary ${quoted(`${head.slice(0, -1)},"data":${data}}`)}
`
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
