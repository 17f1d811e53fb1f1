/** Exports of the package `waybill-web`, and of the framework in `waybill`: what an endpoint file and its test need. */
export type { Log } from './process/log.ts'
export type { ApiInfo } from './web/api-info.ts'
export { App, type AppOptions } from './web/app.ts'
export { Cookie, type CookieOptions } from './web/cookies.ts'
export {
  type Access,
  Endpoint,
  type EndpointSocket,
  HttpError,
  RawJson,
  Reply,
  type ReplyOptions,
} from './web/endpoint.ts'
export type { ErrorEntry, ErrorTable } from './web/errors.ts'
export { EventStream, type EventStreamOptions, type ServerSentEvent } from './web/event-stream.ts'
export { Files } from './web/files.ts'
export { registerFormat } from './web/formats.ts'
export type { Application, ListenOptions, Server } from './web/http.ts'
export { type InjectOptions, inject } from './web/inject.ts'
export { type InjectedMessage, type InjectedSocket, UpgradeRefused } from './web/inject-socket.ts'
export { Lifecycle } from './web/lifecycle.ts'
export { listenNode } from './web/node.ts'
export { readSite } from './web/read-site.ts'
export { Choice, File, Maybe, RawJsonObject, Secret, type Static, Text, Type } from './web/schema.ts'
export type { ServicesModule, Site } from './web/site.ts'
export type {
  Call,
  CallerCredentials,
  Cookies,
  FormFile,
  HttpErrorOptions,
  Identity,
  Injected,
} from './web/types.ts'
export { listenUws } from './web/uws.ts'
