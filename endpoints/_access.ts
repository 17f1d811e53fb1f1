/** Tells handlers whose access a request has, and answers a wait whose access has ended. Not a route. */
import type { AccessControl } from '../src/auth/access.ts'
import type { Grant } from '../src/auth/grant.ts'
import { HttpError } from '../src/web/endpoint.ts'
import type { Call } from '../src/web/types.ts'

/** Returns the grant of the caller. The identities of this tree are grants: `authenticate` of `_services.ts` returns no others. */
export function grantOf({ identity }: Pick<Call, 'identity'>): Grant {
  return identity as Grant
}

/**
 * Returns what the credential of a caller proves now, after its access has ended: another role of the client of a key.
 *
 * @throws {HttpError} 401 when the credential proves nothing
 */
export function renewedGrant(access: Pick<AccessControl, 'renewed'>, grant: Grant): Grant {
  const renewed = access.renewed(grant)
  if (renewed) return renewed
  throw new HttpError(401, 'The access of this request has ended. Log in again, or use another API key.', {
    code: 'unauthorized',
  })
}
