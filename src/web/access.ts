/** Decides who may call a class, by the `access` that the class declares. The spelling of a path plays no part. */
import type { Access, Identity } from './endpoint.ts'
import { webError } from './errors.ts'
import { type Handler, TreeError } from './handler.ts'
import type { RequestHead } from './http.ts'
import type { Prefix, Site } from './site.ts'
import { routes } from './tree.ts'

/**
 * Returns the access rule of a class: the one it declares, else `'any'` where a prefix has an authenticator, else
 * `'public'`.
 */
export function accessOf(handler: Handler, site: Pick<Site, 'prefixes'>): Access {
  return handler.access ?? (site.prefixes.some(({ module }) => module.authenticate) ? 'any' : 'public')
}

/**
 * Checks that an authenticator exists where a class needs one.
 *
 * @throws {TreeError} when a class requires a token and no `_services` file exports `authenticate`
 */
export function checkAuthenticators(prefixes: readonly Prefix[]): void {
  if (prefixes.some(({ module }) => module.authenticate)) return
  const guarded = prefixes
    .flatMap(({ tree }) => [...routes(tree)])
    .filter(({ handler }) => handler.access !== null && handler.access !== 'public')
  const problems = guarded.map(
    ({ handler }) =>
      `${handler.file}: class ${handler.name} has access '${handler.access}', but no prefix has a _services file that exports authenticate`,
  )
  if (problems.length > 0) throw new TreeError([...new Set(problems)])
}

/**
 * Returns the identity of the caller; null for a public class, whose token is not read.
 *
 * @throws {HttpError} 401 without a valid token, 403 without the role
 */
export function checkAccess(
  handler: Handler,
  prefix: Prefix,
  site: Site,
  head: RequestHead,
): Identity | null {
  const access = accessOf(handler, site)
  if (access === 'public') return null
  const guard = site.authenticatorFor(prefix)
  const services = guard?.services as never
  const identity = guard?.module.authenticate?.(services, head.header('authorization')) ?? null
  if (identity === null)
    throw webError(
      'unauthorized',
      'A valid token is required. Send it in the header "Authorization: Bearer TOKEN".',
    )
  // An `authenticate` that returns a promise, or `false`, would otherwise let every caller in.
  if (!Array.isArray(identity.roles)) {
    throw new TypeError(
      `authenticate of ${guard?.path} must return null or { id, roles }, not a promise. Make it synchronous.`,
    )
  }
  if (access !== 'any' && !identity.unrestricted && !identity.roles.includes(access)) {
    throw webError('forbidden', `Role ${access} is required. Use the token of a client that has it.`)
  }
  return identity
}
