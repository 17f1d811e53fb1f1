/** Who may call a class. Decided by what the class itself says, never by the spelling of a path. */
import type { Access, Identity } from './endpoint.ts'
import { fail } from './errors.ts'
import { type Handler, TreeError } from './handler.ts'
import type { RequestHead } from './http.ts'
import type { Prefix, Site } from './site.ts'
import { routes } from './tree.ts'

/** What holds for a class: its own word; without one `'any'` where the app can tell callers apart, else `'public'`. */
export function accessOf(handler: Handler, site: Pick<Site, 'prefixes'>): Access {
  return handler.access ?? (site.prefixes.some(({ module }) => module.authenticate) ? 'any' : 'public')
}

/** @throws {TreeError} when a class asks for a token and no prefix brings an authenticator */
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

/** @throws {HttpError} 401, 403 */
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
  if (identity === null) throw fail('unauthorized', 'A valid token is needed.')
  // A promise, or `false`, must let nobody in.
  if (!Array.isArray(identity.roles)) {
    throw new TypeError(
      `authenticate of ${guard?.path} must return null or { id, roles }, and no promise of them`,
    )
  }
  if (access !== 'any' && !identity.unrestricted && !identity.roles.includes(access)) {
    throw fail('forbidden', `Role ${access} is needed.`)
  }
  return identity
}
