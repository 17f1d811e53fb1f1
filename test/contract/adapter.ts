/** The contract of the adapters, as a client sees it: the suite, and the helpers its parts share. */
import { describe, onTestFinished } from 'vitest'
import type { Every } from '../../src/web/every.ts'
import type { Application, Listen, Server } from '../../src/web/http.ts'
import { type InjectOptions, inject } from '../../src/web/inject.ts'
import type { InjectedSocket } from '../../src/web/inject-socket.ts'
import type { ClientAddress, Observe } from '../../src/web/types.ts'
import { request } from '../_support/http.ts'
import { appOf, type Files, type RecordingLog } from '../_support/trees.ts'
import { openSocket } from '../_support/web-socket.ts'
import { addressCases } from './adapter-addresses.ts'
import { argumentCases } from './adapter-arguments.ts'
import { bodyCases } from './adapter-bodies.ts'
import { closingCases } from './adapter-closing.ts'
import { connectionCases } from './adapter-connections.ts'
import { cookieCases, cookieSocketCases } from './adapter-cookies.ts'
import { eventCases } from './adapter-events.ts'
import { fileCases } from './adapter-files.ts'
import { framingCases } from './adapter-framing.ts'
import { headCases } from './adapter-head.ts'
import { itemCases, itemTimingCases } from './adapter-items.ts'
import { largeAnswerCases, leavingCases } from './adapter-leaving.ts'
import { listCases } from './adapter-lists.ts'
import { malformedCases } from './adapter-malformed.ts'
import { observerCases } from './adapter-observers.ts'
import { problemCases } from './adapter-problems.ts'
import { replyCases } from './adapter-replies.ts'
import { ruleCases } from './adapter-rules.ts'
import { socketFrameCases } from './adapter-socket-frames.ts'
import { socketRuleCases } from './adapter-socket-rules.ts'
import { socketCases } from './adapter-sockets.ts'
import { largeBodyCases, streamedBodyCases } from './adapter-streamed-bodies.ts'
import { largeStreamCases, streamCases } from './adapter-streams.ts'
import { thrownCases } from './adapter-thrown.ts'
import { valueCases } from './adapter-values.ts'
import { Stage } from './stage.ts'

/** Behaviour in which an adapter may differ. The value is the reason. */
export interface Differences {
  /** A method that HTTP does not know ends the connection without an answer. */
  readonly closesOnUnknownMethod?: string
  /** Content-Length beside Transfer-Encoding ends the connection without an answer. */
  readonly closesOnTwoFramings?: string
  /** A Content-Length of more than nine digits ends the connection without an answer. */
  readonly closesOnHugeLength?: string
  /** A chunk with an extension ends the connection without an answer. */
  readonly refusesChunkExtensions?: string
  /** Headers of more than 16 KB are accepted. */
  readonly takesLongHeaders?: string
  /** A request behind one that is still being answered ends the connection. */
  readonly closesOnLatePipelining?: string
  /** 100 Continue is sent before the request is checked. */
  readonly alwaysContinues?: string
  /** The adapter accepts only a path as target: neither `OPTIONS *`, nor the absolute form, nor a request without Host. */
  readonly onlyKnowsPaths?: string
  /** An unreadable request, HTTP/1.0 too, gets no answer. Its connection ends when it is idle for too long. */
  readonly waitsForMore?: string
  /** A connection ends with the answer to a chunked body, and some faults of chunks are accepted. */
  readonly closesAfterChunks?: string
  /** A chunk is refused when its bytes exceed the limit or arrive too slowly, not by the size it announces. */
  readonly countsBytesOfChunks?: string
  /** A header without a name is accepted, and the headers behind it are lost. */
  readonly losesHeadersBehindNamelessOnes?: string
  /** A request with more than about 50 headers is not understood. */
  readonly takesFewHeaders?: string
  /** An idle connection stays open after `close`. */
  readonly keepsIdleConnections?: string
  /** A frame that RFC 6455 forbids ends the connection without a close frame. */
  readonly cutsOnWebSocketFaults?: string
  /** A frame without mask is read as if it had one, and a close frame of one byte as one without a code. */
  readonly overlooksWebSocketFaults?: string
  /** A close frame with a code of 3000 to 3999 counts as malformed. */
  readonly refusesRegisteredCloseCodes?: string
}

export interface Site {
  readonly server: Server
  readonly port: number
  readonly stage: Stage
  readonly log: RecordingLog
}

export interface StartOptions {
  readonly bodyLimit?: number
  /** Monotonic time in milliseconds, for rate limits. */
  readonly now?: () => number
  /** Returns the address of a client; not for `inject`, whose clients have none. */
  readonly clientAddress?: ClientAddress
  /** Timer of the pings. */
  readonly every?: Every
  readonly observers?: readonly Observe[]
  /** True answers errors as problem details to requests that accept them. */
  readonly problems?: boolean
}

export interface Adapter {
  readonly differences: Differences
  /** Starts a server over a tree whose handlers find the stage in `this.services`. It closes after the test. */
  start(files: Files, options?: StartOptions): Promise<Site>
  /** Starts a server over any application. */
  startOver(app: Application): Promise<Server>
}

/** The part of an answer that exists with and without a socket. */
export interface Reaction {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  text(): string
  json(): unknown
}

export type Send = (method: string, target: string, options?: InjectOptions) => Promise<Reaction>

/** Starts a tree for the cases that need no socket of their own. */
export type Reach = (files: Files, options?: StartOptions) => Promise<{ send: Send; log: RecordingLog }>

/** Starts a tree for the cases of WebSockets that need no frames of their own. */
export type ReachSockets = (
  files: Files,
  options?: StartOptions,
) => Promise<{
  /** Opens a WebSocket. Rejects with the status and the message of a refusal. */
  connect(target: string, options?: Pick<InjectOptions, 'headers'>): Promise<InjectedSocket>
  send: Send
  stage: Stage
  log: RecordingLog
}>

/** The services of each tree: the stage of the test. */
const SERVICES = { '_services.ts': 'export const open = ({ stage }) => ({ stage })' }

function adapterOf(listen: Listen, differences: Differences): Adapter {
  const startOver = async (app: Application, clientAddress?: ClientAddress): Promise<Server> => {
    const server = await listen(app, { host: '127.0.0.1', port: 0, clientAddress })
    onTestFinished(() => server.close(0))
    return server
  }
  const start: Adapter['start'] = async (files, { clientAddress, ...options } = {}) => {
    const stage = new Stage()
    const { app, log } = await appOf(
      { ...SERVICES, ...files },
      { context: { stage }, shared: true, ...options },
    )
    const server = await startOver(app, clientAddress)
    return { server, port: server.port, stage, log }
  }
  return { differences, start, startOver }
}

export function adapterSuite(name: string, listen: Listen, differences: Differences): void {
  const adapter = adapterOf(listen, differences)
  const { start } = adapter
  const reach: Reach = async (files, options) => {
    const { port, log } = await start(files, options)
    return { send: (method, target, options) => request(port, method, target, options), log }
  }
  const reachSockets: ReachSockets = async (files, options) => {
    const { port, stage, log } = await start(files, options)
    return {
      connect: (target, { headers } = {}) => openSocket(port, target, headers),
      send: (method, target, options) => request(port, method, target, options),
      stage,
      log,
    }
  }
  describe(`adapter ${name}`, () => {
    describe('replies', () => replyCases(reach))
    describe('values', () => valueCases(reach))
    describe('what is thrown', () => thrownCases(reach))
    describe('arguments', () => argumentCases(reach))
    describe('lists', () => listCases(reach))
    describe('rules', () => ruleCases(reach))
    describe('items of streams', () => itemCases(reach))
    describe('files', () => fileCases(reach))
    describe('items of streams in time', () => itemTimingCases(adapter))
    describe('addresses', () => addressCases(reach))
    describe('problem details', () => problemCases(adapter))
    describe('cookies', () => {
      cookieCases(reach)
      cookieSocketCases(reachSockets)
    })
    describe('WebSockets', () => socketCases(reachSockets))
    describe('rules of WebSockets', () => socketRuleCases(reachSockets))
    describe('frames of WebSockets', () => socketFrameCases(adapter))
    describe('bodies', () => bodyCases(reach))
    describe('streamed bodies', () => streamedBodyCases(adapter))
    describe('HEAD', () => headCases(adapter))
    describe('framing', () => framingCases(adapter))
    describe('malformed requests', () => malformedCases(adapter))
    describe('connections', () => connectionCases(adapter))
    describe('clients that leave', () => leavingCases(adapter))
    describe('streams', () => streamCases(adapter))
    describe('events', () => eventCases(adapter))
    describe('closing', () => closingCases(adapter))
    describe('observers', () => observerCases(adapter))
  })
}

/** Runs the part of the suite that moves many megabytes. */
export function largeAdapterSuite(name: string, listen: Listen): void {
  const adapter = adapterOf(listen, {})
  describe(`adapter ${name}`, () => {
    describe('large streamed bodies', () => largeBodyCases(adapter))
    describe('large answers, read late', () => largeAnswerCases(adapter))
    describe('large streams', () => largeStreamCases(adapter))
  })
}

/** Runs the part of the suite that needs no socket, over `inject`. */
export function injectSuite(): void {
  const reach: Reach = async (files, options) => {
    const context = { stage: new Stage() }
    const { app, log } = await appOf({ ...SERVICES, ...files }, { context, shared: true, ...options })
    return { send: (method, target, options) => inject(app, method, target, options), log }
  }
  const reachSockets: ReachSockets = async (files, options) => {
    const stage = new Stage()
    const { app, log } = await appOf(
      { ...SERVICES, ...files },
      { context: { stage }, shared: true, ...options },
    )
    return {
      connect: (target, options) => inject.socket(app, target, options),
      send: (method, target, options) => inject(app, method, target, options),
      stage,
      log,
    }
  }
  describe('inject', () => {
    describe('cookies', () => {
      cookieCases(reach)
      cookieSocketCases(reachSockets)
    })
    describe('WebSockets', () => socketCases(reachSockets))
    describe('rules of WebSockets', () => socketRuleCases(reachSockets))
    describe('replies', () => replyCases(reach))
    describe('values', () => valueCases(reach))
    describe('what is thrown', () => thrownCases(reach))
    describe('arguments', () => argumentCases(reach))
    describe('lists', () => listCases(reach))
    describe('rules', () => ruleCases(reach))
    describe('items of streams', () => itemCases(reach))
    describe('files', () => fileCases(reach))
    describe('bodies', () => bodyCases(reach))
  })
}
