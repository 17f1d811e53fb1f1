/**
 * Decides who may call a method, by the `access` that its class or folder declares. The spelling of a path has no
 * effect.
 */
import { type AccessRule, accessInWords } from './access-rule.ts'
import { type Cors, isOwnOrigin } from './cors.ts'
import { HeadCredentials } from './credentials.ts'
import type { HttpError } from './endpoint.ts'
import { webError } from './errors.ts'
import { TreeError } from './handler.ts'
import { deepestModule } from './match.ts'
import { verbAccess } from './rules.ts'
import type { Prefix, Site } from './site.ts'
import { routes } from './tree.ts'
import type { Identity, RequestHead } from './types.ts'

/**
 * Returns the access rule of a method. Without a declared rule it is `'any'` if a prefix has an authenticator, else
 * `'public'`.
 */
export function accessOf(declared: AccessRule | null, site: Pick<Site, 'prefixes'>): AccessRule {
  return declared ?? (site.prefixes.some(({ module }) => module.authenticate) ? 'any' : 'public')
}

/**
 * Yields the access rules for a path that no class answers: those of the folders around it, by prefix. The caller must
 * satisfy all of them, so a prefix does not reveal which paths of another prefix exist.
 */
export function* unansweredAccess(
  { tree }: Pick<Site, 'tree'>,
  method: string,
  segments: readonly string[],
): Generator<{ readonly prefix: Prefix; readonly access: AccessRule }> {
  for (const { prefix, folder } of deepestModule(tree, segments).parts) {
    const access = verbAccess(method === 'HEAD' ? 'GET' : method, {}, folder)
    if (access !== null) yield { prefix, access }
  }
}

/**
 * Checks that an authenticator exists where a class needs one.
 *
 * @throws {TreeError} when a class requires a token and no `_services` file exports `authenticate`
 */
export function checkAuthenticators(prefixes: readonly Prefix[]): void {
  if (prefixes.some(({ module }) => module.authenticate)) return
  const handlers = new Set(prefixes.flatMap(({ tree }) => [...routes(tree)].map(({ handler }) => handler)))
  const problems = [...handlers].flatMap(({ file, name, verbs }) =>
    [...verbs.values()].flatMap(({ access }) =>
      access === null || access === 'public'
        ? []
        : `${file}: class ${name} has access '${accessInWords(access)}', but no prefix has a _services file that exports authenticate`,
    ),
  )
  if (problems.length > 0) throw new TreeError([...new Set(problems)])
}

/**
 * Creates the 401 for a missing, invalid or expired credential.
 *
 * @param byCookie whether a cookie may be the credential
 */
export function unauthorized(byCookie = false): HttpError {
  return webError(
    'unauthorized',
    byCookie
      ? 'A valid login is required. Log in, or send a token in the header "Authorization: Bearer TOKEN".'
      : 'A valid token is required. Send it in the header "Authorization: Bearer TOKEN".',
  )
}

/**
 * Returns the identity of the caller; null for a public method, for which the token is not read.
 *
 * @param cors rule of the method, which may let pages of other sites use cookies
 * @throws {HttpError} 401 without a valid token, 403 without the role, or for a page of another site that writes with a
 * cookie
 */
export function checkAccess(
  declared: AccessRule | null,
  prefix: Prefix,
  site: Site,
  head: RequestHead,
  cors: Cors | null,
): Identity | null {
  const access = accessOf(declared, site)
  if (access === 'public') return null
  const guard = site.authenticatorFor(prefix)
  const services = guard?.services as never
  const credentials = new HeadCredentials(head)
  const identity = guard?.module.authenticate?.(services, credentials.authorization, credentials) ?? null
  if (identity === null) throw unauthorized(credentials.asksForCookies)
  // An `authenticate` that returns a promise, or `false`, would otherwise admit every caller.
  if (!Array.isArray(identity.roles)) {
    throw new TypeError(
      `authenticate of ${guard?.path} must return null or { id, roles }, not a promise. Make it synchronous.`,
    )
  }
  if (access !== 'any' && !identity.unrestricted && !access.some((role) => identity.roles.includes(role))) {
    const needed = access.length === 1 ? `Role ${access[0]} is` : `One of the roles ${access.join(', ')} is`
    throw webError('forbidden', `${needed} required. Use the token of a client that has it.`, undefined, {
      roles: access.join(', '),
    })
  }
  if (credentials.usedCookie) refuseForeignPage(head, cors)
  return identity
}

/** Methods that only read (RFC 9110 section 9.2.1), so that a page of another site may cause them, as by a link. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses to write for a page of another site, because browsers add the cookies of the user to its requests (cross-site
 * request forgery). A program that is no browser sends neither header, and passes.
 *
 * @throws {HttpError} 403
 */
function refuseForeignPage(head: RequestHead, cors: Cors | null): void {
  if (READING.has(head.method)) return
  const origin = head.header('origin')
  if (origin !== undefined && cors?.allowsCookies(origin)) return
  // Browsers send this header over HTTPS and to the own machine. A proxy cannot spoil it, unlike Host.
  const site = head.header('sec-fetch-site')
  const isOwn =
    site === undefined
      ? origin === undefined || isOwnOrigin(origin, head.header('host'))
      : site === 'same-origin' || site === 'none'
  if (isOwn) return
  throw webError(
    'forbidden',
    `Pages of ${origin ?? 'another site'} may not use ${head.method} with a cookie. Send the request from a page of this server, or add the origin to "cors" of the class, with credentials.`,
  )
}
