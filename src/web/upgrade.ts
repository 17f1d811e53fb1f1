/** Decides whether a request may become a WebSocket of a handler class: route, rules, access, CONNECT. Knows no server. */
import { accessOf, checkAccess } from './access.ts'
import { type Cors, isOwnOrigin } from './cors.ts'
import { type HttpError, isReply, type Reply } from './endpoint.ts'
import { webError } from './errors.ts'
import { queryKeywords } from './keywords.ts'
import type { Match } from './match.ts'
import { positionalArguments } from './path.ts'
import { toResponse } from './reply.ts'
import { RequestCall, type RequestHost } from './routed-request.ts'
import { RuleRun } from './ruled-request.ts'
import type { Site } from './site.ts'
import { type Every, SocketSession } from './socket-session.ts'
import type { HttpResponse, RequestHead } from './types.ts'
import type { Verb } from './verb.ts'
import { areSubprotocols, CLOSE_CODES } from './web-sockets.ts'

/** Outcome of a request for a WebSocket: a session that waits for its connection, or a refusal. */
export type Upgraded = SocketSession | HttpResponse

/** Parts of an app that an upgrade needs. */
export interface UpgradeHost {
  readonly app: RequestHost
  readonly site: Site
  readonly now: () => number
  readonly every: Every
}

/**
 * Subprotocol that the server selects if it selects none of the class. A browser cannot set headers, so it offers this
 * subprotocol and its token together.
 */
const SUBPROTOCOL = 'waybill'
const BEARER = 'bearer.'
const KEY = /^[+/0-9A-Za-z]{22}==$/

/**
 * Returns the outcome of a request for a WebSocket. Returns null if the class accepts no WebSockets, or the request has
 * a body or no valid key: the server then ignores the Upgrade header.
 *
 * @param found class that answers CONNECT on the path
 * @param head is read only until this function returns
 */
export function upgradeRequest(host: UpgradeHost, found: Match, head: RequestHead): Promise<Upgraded> | null {
  if (!found.handler.socket || head.length !== 0 || !KEY.test(head.header('sec-websocket-key') ?? ''))
    return null
  const verb = found.handler.verbs.get('CONNECT') as Verb
  const isPublic = accessOf(verb.access, host.site) === 'public'
  const run = verb.rules && new RuleRun(verb.rules, head, isPublic)
  return connect(host, found, verb, head, run).then((upgraded) =>
    run && !(upgraded instanceof SocketSession) ? run.finish(upgraded) : upgraded,
  )
}

async function connect(
  { app, site, now, every }: UpgradeHost,
  found: Match,
  verb: Verb,
  head: RequestHead,
  run: RuleRun | null,
): Promise<Upgraded> {
  const { handler, prefix } = found
  const { method, path } = head
  const request = { method, path, acceptsProblems: app.acceptsProblems(head) }
  try {
    const protocols = offeredProtocols(head)
    if (head.header('sec-websocket-version') !== '13') throw upgradeRequired()
    run?.countAddress(head, now())
    checkOrigin(head, verb.rules?.cors ?? null)
    const closing = new AbortController()
    const own = new SocketHead(head, tokenOf(protocols), closing.signal)
    head.signal().addEventListener('abort', () => closing.abort(), { signal: closing.signal })
    const identity = checkAccess(verb.access, prefix, site, own)
    head.identity = identity
    const args = positionalArguments(found, verb, head.path)
    const { signature, keywords } = verb
    if (signature.keywords) args.push(queryKeywords(head.query, signature, keywords))
    const call = new RequestCall(own, handler, identity, request.acceptsProblems)
    own.release()
    run?.countCaller(call, now())
    const early = run?.before(call, prefix.services)
    const reply = early && (await early)
    if (reply) return refusal(reply)
    const known = [...handler.subprotocols, SUBPROTOCOL]
    const protocol = known.find((name) => protocols.includes(name)) ?? ''
    const session = new SocketSession(app, handler, prefix.services, call, protocol, every, () =>
      closing.abort(),
    )
    const result = await session.connect(args)
    if (isReply(result)) return refusal(result)
    if (identity !== null) {
      const held = site.hold(prefix, identity, () => session.close(CLOSE_CODES.policyViolation))
      void session.ended.then(() => held.release())
    }
    return session
  } catch (error) {
    return app.failure(error, request, prefix)
  }
}

function refusal(reply: Reply): HttpResponse {
  return toResponse(reply, true, null)
}

/** Creates the 426 for a request that does not ask for a WebSocket of version 13 (RFC 6455 section 4.4). */
export function upgradeRequired(): HttpError {
  return webError('upgrade-required', 'This path is a WebSocket. Connect with a WebSocket of version 13.', {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
  })
}

/** Refuses pages of other origins, because browsers let every page open a WebSocket. @throws {HttpError} 403 */
function checkOrigin(head: RequestHead, cors: Cors | null): void {
  const origin = head.header('origin')
  if (origin === undefined || cors?.allows(origin) || isOwnOrigin(origin, head.header('host'))) return
  throw webError('forbidden', `Pages of ${origin} may not connect. Add the origin to "cors" of the class.`)
}

/** Returns the offered subprotocols. @throws {HttpError} 400 for a malformed list (RFC 6455 section 4.1) */
function offeredProtocols(head: RequestHead): readonly string[] {
  const offered = head.header('sec-websocket-protocol')
  if (offered === undefined) return []
  const names = offered.split(',').map((name) => name.trim())
  if (areSubprotocols(names)) return names
  throw webError(
    'bad-request',
    'Sec-WebSocket-Protocol is malformed. Send different names with commas between.',
  )
}

function tokenOf(protocols: readonly string[]): string | null {
  if (!protocols.includes(SUBPROTOCOL)) return null
  return protocols.find((name) => name.startsWith(BEARER))?.slice(BEARER.length) ?? null
}

/** Head of the request for a WebSocket, kept while the WebSocket is open. */
class SocketHead implements RequestHead {
  readonly method = 'GET'
  readonly path: string
  readonly query: string
  readonly length = 0
  #head: RequestHead | null
  readonly #token: string | null
  readonly #remote: string
  readonly #signal: AbortSignal

  constructor(head: RequestHead, token: string | null, signal: AbortSignal) {
    this.path = head.path
    this.query = head.query
    this.#head = head
    this.#token = token
    this.#remote = head.remote()
    this.#signal = signal
  }

  header(name: string): string | undefined {
    const value = this.#head?.header(name)
    return name === 'authorization' && value === undefined && this.#token !== null
      ? `Bearer ${this.#token}`
      : value
  }

  /** Releases the request, so that its memory is free while the WebSocket is open. */
  release(): void {
    this.#head = null
  }

  remote(): string {
    return this.#remote
  }

  signal(): AbortSignal {
    return this.#signal
  }
}
