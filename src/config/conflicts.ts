/** Checks rules that concern several settings together. */
import { isLoopback } from '../net/address.ts'
import type { Setting } from './row.ts'
import type { Values } from './settings.ts'
import { SETTINGS } from './table.ts'

/** Returns a message for each conflict. Values may have the wrong type, which other checks report. */
export function conflictsOf(values: Values): string[] {
  const problems: string[] = []
  const exposed = hostsOf(values).find((host) => !isLoopback(host))
  if (values.permitAll === true && values.permitAllExposed !== true && exposed !== undefined) {
    problems.push(
      `APP_SECURITY_PERMIT_ALL: disables all access checks, and ${exposed} is not a loopback address; ` +
        'listen on 127.0.0.1, or set APP_SECURITY_PERMIT_ALL_EXPOSED=true to allow it',
    )
  }
  if ((values.tlsCert === null) !== (values.tlsKey === null))
    problems.push(
      values.tlsKey === null
        ? 'tls.cert (TLS_CERT) is set, and tls.key (TLS_KEY) is not; set it to the PEM file with the private key of the certificate'
        : 'tls.key (TLS_KEY) is set, and tls.cert (TLS_CERT) is not; set it to the PEM file with the certificate and its chain',
    )
  if (values.tlsCert !== null && values.adapter === 'uws')
    problems.push(
      'tls.cert: adapter uws does not serve HTTPS; use --adapter node, or a proxy that terminates TLS',
    )
  const { mqttProxyProtocol, trustedProxies } = values
  if (mqttProxyProtocol === true && Array.isArray(trustedProxies) && trustedProxies.length === 0)
    problems.push(
      'mqtt.proxy-protocol: server.trusted-proxies names no proxy; set it to the addresses of your proxies, or set mqtt.proxy-protocol to false',
    )
  return problems
}

/** Returns the hosts that the server listens on, from the rows of the table that name a host. */
function hostsOf(values: Values): string[] {
  const rows: readonly Setting[] = SETTINGS
  return rows.flatMap(({ name, listens }) => listens?.(values[name as keyof Values] as never) ?? [])
}
