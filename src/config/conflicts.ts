/** Rules for several values together. Each says what is wrong, in words. */
import { isLoopback } from '../net/address.ts'
import type { Setting } from './row.ts'
import type { Values } from './settings.ts'
import { SETTINGS } from './table.ts'

/** Lists conflicts between values. The values may be of the wrong type. */
export function conflictsOf(values: Values): string[] {
  const problems: string[] = []
  const exposed = hostsOf(values).find((host) => !isLoopback(host))
  if (values.permitAll === true && values.permitAllExposed !== true && exposed !== undefined) {
    problems.push(
      `APP_SECURITY_PERMIT_ALL: switches all access checks off, and ${exposed} is not a loopback address; ` +
        'listen on 127.0.0.1, or set APP_SECURITY_PERMIT_ALL_EXPOSED=true if you mean it',
    )
  }
  if ((values.tlsCert === null) !== (values.tlsKey === null))
    problems.push('tls.cert, tls.key: one is of no use without the other, set both or neither')
  if (values.tlsCert !== null && values.adapter === 'uws')
    problems.push('tls.cert: adapter uws serves no HTTPS; use --adapter node, or a proxy that ends TLS')
  return problems
}

/** Lists the hosts that the server listens on, as the rows of the table name them. */
function hostsOf(values: Values): string[] {
  const rows: readonly Setting[] = SETTINGS
  return rows.flatMap(({ name, listens }) => listens?.(values[name as keyof Values] as never) ?? [])
}
