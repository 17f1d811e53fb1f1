/** Returns the grants of requests, and renews the grant of a wait whose access has ended. Not a route. */
import type { AccessControl } from '../src/auth/access.ts'
import type { Grant } from '../src/auth/grant.ts'
import { HttpError } from '../src/web/endpoint.ts'
import type { Call } from '../src/web/types.ts'

/**
 * Returns the grant of the caller. All identities of this tree are grants, because `authenticate` of `_services.ts`
 * returns no others.
 */
export function grantOf({ identity }: Pick<Call, 'identity'>): Grant {
  return identity as Grant
}

/**
 * Returns the current grant of a caller's credential after its access has ended: the client of a key may have another
 * role.
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
