/** /admin/api/connections: lists open connections and refused clients, and ends connections. */
import { actorOf, entryOf } from '../../../src/audit/actor.ts'
import { unknownConnection } from '../../../src/broker/errors.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import {
  ConnectionAnswer,
  ConnectionQuery,
  RefusalAnswer,
  toConnectionAnswer,
  toRefusalAnswer,
} from './_connections.ts'
import { LINK_HEADER, page } from './_paging.ts'
import { Id, MAX_ROWS } from './_schemas.ts'

export const tag = { name: 'Connections', description: 'Open connections, and refused logins and messages' }

export class Default extends Endpoint<UsesOwn<'connections' | 'audit'>> {
  static access = { GET: ['MAN', 'READER'], DELETE: 'MAN' }
  static positionals = { DELETE: [Id] }
  static keywords = { GET: ConnectionQuery }
  static operationId = { GET: 'listConnections', DELETE: 'endConnection' }
  static summary = {
    GET: 'List the connections that have logged in, oldest first',
    DELETE: 'End a connection; its client may connect again',
  }
  static responses = { GET: Type.Array(ConnectionAnswer), DELETE: { 204: null } }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: STORAGE_ERRORS, DELETE: ['unknown-connection', ...STORAGE_ERRORS] }

  async GET({ after, deviseId, ...query }: ConnectionQuery) {
    const limit = Math.min(query.limit, MAX_ROWS)
    const found = await this.services.connections.list(after ?? 0, limit + 1, deviseId)
    const items = found.slice(0, limit).map(toConnectionAnswer)
    const next = found.length > limit ? { after: (items.at(-1) as { id: number }).id } : null
    return page(items, this.call.path, { deviseId, limit }, next)
  }

  async DELETE(id: number) {
    const { audit, connections } = this.services
    const deviceId = await connections.clientOf(id)
    if (deviceId === undefined) throw unknownConnection(id)
    await audit.add(entryOf(actorOf(this.call), 'connection.end', id, { deviceId }))
    await connections.end(id)
  }
}

export class Refusals extends Endpoint<UsesOwn<'rejections'>> {
  static access = ['MAN', 'READER']
  static operationId = { GET: 'listRefusals' }
  static summary = 'List refused logins and messages since the start of the server, newest first'
  static responses = { GET: Type.Array(RefusalAnswer) }
  static errors = { GET: STORAGE_ERRORS }

  async GET() {
    return (await this.services.rejections.all()).map(toRefusalAnswer)
  }
}
