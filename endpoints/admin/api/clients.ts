/** /admin/api/clients: manages the clients that may log in, one by one or many as CSV. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { formatClientsCsv, parseClientsCsv } from '../../../src/wire/clients-csv.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { grantOf } from '../../_access.ts'
import { DetailsQuery, wantsDetails } from '../../_details.ts'
import { ATTACHMENT_HEADER, ClientAnswer, ClientsCsv, LOCATION_HEADER } from './_answers.ts'
import { ImportAnswer, toGeneratedPasswords, toImportAnswer } from './_imports.ts'
import { CreatedKeyAnswer, KeyAnswer, NewKeyBody, toCreatedKeyAnswer, toKeyAnswer } from './_keys.ts'
import { ClientChangeBody, ClientsFile, Id, NewClientBody, toClientAnswer } from './_schemas.ts'

export const tag = { name: 'Clients', description: 'Clients that may log in: devices and people' }

export class Default extends Endpoint<UsesOwn<'clients' | 'logins'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN' }
  static keywords = { GET: DetailsQuery, POST: NewClientBody }
  static operationId = { GET: 'listClients', POST: 'createClient' }
  static summary = { GET: 'List all clients', POST: 'Create a client' }
  static responses = { GET: Type.Array(ClientAnswer), POST: { 201: ClientAnswer } }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = {
    GET: STORAGE_ERRORS,
    POST: [
      'padded-device-id',
      'client-exists',
      'password-too-long',
      'password-has-nul',
      'password-hash-cost',
      ...STORAGE_ERRORS,
    ],
  }

  async GET({ details }: DetailsQuery) {
    const { clients, logins } = this.services
    const lastLogins = details ? await logins.all() : undefined
    return clients.all().map((client) => toClientAnswer(client, details, lastLogins))
  }

  async POST({ deviseId, password, role, description, devices, ownQueueOnly, details }: NewClientBody) {
    const created = {
      deviceId: deviseId,
      password,
      role: role ?? undefined,
      description: description ?? undefined,
      devices: devices ?? undefined,
      ownQueueOnly,
    }
    const client = await this.services.clients.create(created, actorOf(this.call))
    return new Reply(201, toClientAnswer(client, details), {
      headers: { location: `/admin/api/clients/${client.id}` },
    })
  }
}

export class Client extends Endpoint<UsesOwn<'clients' | 'logins'>> {
  static access = { GET: ['MAN', 'READER'], PUT: 'MAN', DELETE: 'MAN' }
  static segment = false
  static positionals = { GET: [Id], PUT: [Id], DELETE: [Id] }
  static keywords = { GET: DetailsQuery, PUT: ClientChangeBody }
  static operationId = { GET: 'getClient', PUT: 'updateClient', DELETE: 'deleteClient' }
  static summary = {
    GET: 'Show a client',
    PUT: 'Update a client; omitted members stay as they are',
    DELETE: 'Delete a client and end its tokens and API keys at once',
  }
  static responses = { GET: ClientAnswer, PUT: ClientAnswer, DELETE: { 204: null } }
  static errors = {
    GET: ['unknown-client', ...STORAGE_ERRORS],
    PUT: [
      'unknown-client',
      'padded-device-id',
      'client-exists',
      'last-admin',
      'password-too-long',
      'password-has-nul',
      'password-is-hash',
      ...STORAGE_ERRORS,
    ],
    DELETE: ['unknown-client', 'last-admin', ...STORAGE_ERRORS],
  }

  async GET(id: number, { details }: DetailsQuery) {
    const lastLogins = details ? await this.services.logins.all() : undefined
    return toClientAnswer(this.services.clients.get(id), details, lastLogins)
  }

  async PUT(
    id: number,
    { deviseId, password, role, description, devices, ownQueueOnly, details }: ClientChangeBody,
  ) {
    const change = {
      deviceId: deviseId ?? undefined,
      password: password || undefined,
      role: role ?? undefined,
      description: description ?? undefined,
      devices: devices ?? undefined,
      ownQueueOnly,
    }
    const { clients, logins } = this.services
    const client = await clients.change(id, change, actorOf(this.call))
    return toClientAnswer(client, details, details ? await logins.all() : undefined)
  }

  async DELETE(id: number) {
    await this.services.clients.remove(id, actorOf(this.call))
  }
}

export class Keys extends Endpoint<UsesOwn<'keys'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN', DELETE: 'MAN' }
  static member = 1
  static positionals = { GET: [Id], POST: [Id], DELETE: [Id, Id] }
  static keywords = { POST: NewKeyBody }
  static operationId = { GET: 'listClientKeys', POST: 'createClientKey', DELETE: 'deleteClientKey' }
  static summary = {
    GET: 'List the API keys of a client',
    POST: 'Create an API key with the rights of a client. Only this answer shows the key',
    DELETE: 'Delete an API key and end its connections at once',
  }
  static responses = {
    GET: Type.Array(KeyAnswer),
    POST: { 201: CreatedKeyAnswer },
    DELETE: { 204: null },
  }
  static errors = {
    GET: ['unknown-client'],
    POST: ['unknown-client', 'too-many-keys', 'expires-in-past', ...STORAGE_ERRORS],
    DELETE: ['unknown-client', 'unknown-key', ...STORAGE_ERRORS],
  }

  GET(id: number) {
    return this.services.keys.of(id).map(toKeyAnswer)
  }

  async POST(id: number, { description, expiresDate }: NewKeyBody) {
    const created = { description: description ?? '', expiresAtMs: expiresDate ?? null }
    const { key, record } = await this.services.keys.create(id, created, actorOf(this.call))
    return new Reply(201, toCreatedKeyAnswer(key, record))
  }

  async DELETE(id: number, keyId: number) {
    await this.services.keys.remove(id, keyId, actorOf(this.call))
  }
}

export class Import extends Endpoint<UsesOwn<'imports' | 'held'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN' }
  static positionals = { GET: [Id] }
  static keywords = { GET: DetailsQuery, POST: ClientsFile }
  static operationId = { POST: 'importClients', GET: 'getClientImport' }
  static summary = {
    POST: 'Create and update the clients of a CSV file in the background, or report the changes only (dryRun)',
    GET: 'Show the progress of an import',
  }
  static responses = { POST: { 200: ImportAnswer, 202: ImportAnswer }, GET: ImportAnswer }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = { POST: ['import-running', ...STORAGE_ERRORS], GET: ['unknown-import'] }

  async POST({ file, dryRun, generatePasswords, details }: ClientsFile) {
    const { imports, held } = this.services
    const hold = held.by(grantOf(this.call), 'import')
    const given = parseClientsCsv(file.bytes)
    const lines = generatePasswords ? imports.withPasswords(given.lines) : given.lines
    const encoding = wantsDetails(details) && { encoding: given.encoding }
    if (dryRun) return { ...toImportAnswer(imports.plan(lines), details), ...encoding }
    const report = await imports.start(lines, actorOf(this.call), hold)
    const location = `/admin/api/clients/import/${report.id}`
    const passwords = wantsDetails(details) && generatePasswords === true && toGeneratedPasswords(lines)
    const answer = { ...toImportAnswer(report, details), ...encoding, ...(passwords && { passwords }) }
    return new Reply(202, answer, { headers: { location } })
  }

  async GET(id: number, { details }: DetailsQuery) {
    return toImportAnswer(await this.services.imports.get(id), details)
  }
}

export class Export extends Endpoint<UsesOwn<'clients'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: DetailsQuery }
  static operationId = { GET: 'exportClients' }
  static summary = 'Download all clients as CSV, without their passwords'
  static responses = { GET: ClientsCsv }
  static replyHeaders = { GET: ATTACHMENT_HEADER }
  static errors = { GET: [] }

  GET({ details = false }: DetailsQuery) {
    const bytes = Buffer.from(formatClientsCsv(this.services.clients.all(), details))
    const disposition = 'attachment; filename="clients.csv"'
    const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition }
    return new Reply(200, bytes, { headers })
  }
}
