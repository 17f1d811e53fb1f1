/** /admin/api/connections: lists open connections and refused clients, and ends connections. */
import { actorOf, entryOf } from '../../../src/audit/actor.ts'
import { unknownConnection } from '../../../src/broker/vocabulary/errors.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import {
  ConnectionAnswer,
  ConnectionQuery,
  EndQuery,
  RefusalAnswer,
  TOTAL_HEADER,
  toConnectionAnswer,
  toDetailedConnectionAnswer,
  toRefusalAnswer,
} from './_connections.ts'
import { LINK_HEADER, page } from './_paging.ts'
import { Id, MAX_ROWS } from './_schemas.ts'

export const tag = { name: 'Connections', description: 'Open connections, and refused logins and messages' }

export class Default extends Endpoint<UsesOwn<'connections' | 'audit'>> {
  static access = { GET: ['MAN', 'READER'], DELETE: 'MAN' }
  static positionals = { DELETE: [Id] }
  static keywords = { GET: ConnectionQuery, DELETE: EndQuery }
  static operationId = { GET: 'listConnections', DELETE: 'endConnection' }
  static summary = {
    GET: 'List the connections that have logged in, oldest first',
    DELETE: 'End a connection; its client may connect again',
  }
  static responses = { GET: Type.Array(ConnectionAnswer), DELETE: { 204: null } }
  static replyHeaders = { GET: { ...LINK_HEADER, ...TOTAL_HEADER } }
  static errors = { GET: STORAGE_ERRORS, DELETE: ['unknown-connection', ...STORAGE_ERRORS] }

  async GET({ after = 0, deviseId, search = '', details, ...given }: ConnectionQuery) {
    const limit = Math.min(given.limit, MAX_ROWS)
    const { connections } = this.services
    if (!details) {
      const found = await connections.list(after, limit + 1, deviseId)
      const items = found.slice(0, limit).map(toConnectionAnswer)
      return page(items, this.call.path, { deviseId, limit }, nextOf(found, limit))
    }
    const { items, total } = await connections.search(after, limit + 1, { search, deviceId: deviseId })
    const listed = items.slice(0, limit).map(toDetailedConnectionAnswer)
    const next = nextOf(items, limit)
    const query = { deviseId, search, limit, details }
    return page(listed, this.call.path, query, next, { 'waybill-total': String(total) })
  }

  async DELETE(id: number, { will }: EndQuery) {
    const { audit, connections } = this.services
    const deviceId = await connections.clientOf(id)
    if (deviceId === undefined) throw unknownConnection(id)
    const discardsWill = will === 'discard'
    const detail = { deviceId, ...(discardsWill && { will }) }
    const by = actorOf(this.call)
    await audit.add(entryOf(by, 'connection.end', id, detail))
    await connections.end(id, by.clientId, discardsWill)
  }
}

/** Returns the start of the next page, from rows that include one more than a page if there is one. */
function nextOf(found: readonly { readonly id: number }[], limit: number) {
  return found.length > limit ? { after: (found[limit - 1] as { id: number }).id } : null
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
