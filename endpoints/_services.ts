/** Gives the handlers of this tree the services that the composition root opened. */
import type { BrokerServices } from '../src/app/services.ts'
import type { SharedServices } from '../src/app/shared-services.ts'
import type { Grant } from '../src/auth/grant.ts'
import { version } from '../src/process/version.ts'
import type { ApiInfo } from '../src/web/api-info.ts'
import type { CallerCredentials } from '../src/web/types.ts'

export { errors } from '../src/wire/errors.ts'
export { BARE_ERRORS as bareErrors } from '../src/wire/messages.ts'

export const info: ApiInfo = {
  title: 'Waybill',
  version: version(),
  description: 'Delivers commands to devices. Stores each command durably in a queue of its device.',
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
}

interface Context {
  readonly ownServices: BrokerServices
}

export const open = ({ ownServices }: Context): BrokerServices => ownServices

/** Services that the handlers of other prefixes may use. */
export const shared: readonly (keyof SharedServices)[] = ['broker']

/** Closes the event streams, which never end by themselves, and answers the waiting requests. */
export const drain = ({ feed, waitLimit }: BrokerServices): void => {
  feed.close()
  waitLimit.close()
}

export const authenticate = (
  { identify, refusedToken }: BrokerServices,
  authorization: string | undefined,
  credentials: CallerCredentials,
) => {
  const identity = identify(authorization)
  if (identity === null && authorization !== undefined) refusedToken(authorization, credentials.peer)
  return identity
}

export const hold = ({ held }: BrokerServices, grant: Grant, end: () => void) =>
  held.hold(grant, { kind: 'stream', end })

export const hasAccess = ({ access }: BrokerServices, grant: Grant) => access.isCurrent(grant)

export const socket = ({ webSocket }: BrokerServices, path: string) => webSocket(path)
