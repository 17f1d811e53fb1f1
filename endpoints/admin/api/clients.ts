/** /admin/api/clients: who may log in, and with what role; one by one, or many as CSV. */
import type { Uses } from '../../../src/services.ts'
import { Endpoint, HttpError, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { clientLines, clientsAsCsv } from '../../../src/wire/clients-csv.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { ATTACHMENT_HEADER, ClientAnswer, ClientsCsv, ImportAnswer, LOCATION_HEADER } from './_answers.ts'
import {
  ClientChangeBody,
  ClientsFile,
  Id,
  NewClientBody,
  toClientAnswer,
  toImportAnswer,
} from './_schemas.ts'

export class Default extends Endpoint<Uses<'clients'>> {
  static access = 'MAN'
  static positionals = { GET: [Id], PUT: [Id], DELETE: [Id] }
  static keywords = { POST: NewClientBody, PUT: ClientChangeBody }
  static summary = {
    GET: 'Lists all clients, or gives one',
    POST: 'Makes a client',
    PUT: 'Changes what is given of a client',
    DELETE: 'Deletes a client; its tokens end at once',
  }
  static responses = {
    GET: Type.Union([Type.Array(ClientAnswer), ClientAnswer]),
    POST: { 201: ClientAnswer },
    PUT: ClientAnswer,
    DELETE: { 204: null },
  }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = {
    GET: ['unknown-client'],
    POST: ['client-exists', 'password-too-long', 'password-has-nul', ...STORAGE_ERRORS],
    PUT: ['unknown-client', 'last-admin', 'password-too-long', 'password-has-nul', ...STORAGE_ERRORS],
    DELETE: ['unknown-client', 'last-admin', ...STORAGE_ERRORS],
  }

  GET(id: number | null = null) {
    const { clients } = this.services
    return id === null ? clients.all().map(toClientAnswer) : toClientAnswer(clients.get(id))
  }

  async POST({ deviseId, password, role, description }: NewClientBody) {
    const client = await this.services.clients.create({
      deviceId: deviseId,
      password,
      role: role ?? undefined,
      description: description ?? undefined,
    })
    return new Reply(201, toClientAnswer(client), {
      headers: { location: `/admin/api/clients/${client.id}` },
    })
  }

  async PUT(id: number, { deviseId, password, role, description }: ClientChangeBody) {
    const { clients } = this.services
    const { deviceId } = clients.get(id)
    if ((deviseId ?? deviceId) !== deviceId) {
      throw new HttpError(
        400,
        `ClientAnswer ${id} is "${deviceId}": a deviseId cannot be changed. Make a new client.`,
      )
    }
    // An empty password is none.
    const change = {
      password: password || undefined,
      role: role ?? undefined,
      description: description ?? undefined,
    }
    return toClientAnswer(await clients.change(id, change))
  }

  async DELETE(id: number) {
    await this.services.clients.remove(id)
  }
}

export class Import extends Endpoint<Uses<'imports'>> {
  static access = 'MAN'
  static positionals = { GET: [Id] }
  static keywords = { POST: ClientsFile }
  static summary = {
    POST: 'Makes and changes the clients of a CSV file, in the background; with dryRun it only tells what it would do',
    GET: 'Tells how far an import has come',
  }
  static responses = { POST: { 200: ImportAnswer, 202: ImportAnswer }, GET: ImportAnswer }
  static replyHeaders = { POST: LOCATION_HEADER }
  static errors = { POST: ['import-running'], GET: ['unknown-import'] }

  POST({ file, dryRun }: ClientsFile) {
    const { imports } = this.services
    const lines = clientLines(file.bytes)
    if (dryRun) return toImportAnswer(imports.plan(lines))
    const report = imports.start(lines)
    const location = `/admin/api/clients/import/${report.id}`
    return new Reply(202, toImportAnswer(report), { headers: { location } })
  }

  GET(id: number) {
    return toImportAnswer(this.services.imports.get(id))
  }
}

export class Export extends Endpoint<Uses<'clients'>> {
  static access = 'MAN'
  static summary = 'Gives all clients as CSV, without their passwords'
  static responses = { GET: ClientsCsv }
  static replyHeaders = { GET: ATTACHMENT_HEADER }
  static errors = { GET: [] }

  GET() {
    const bytes = Buffer.from(clientsAsCsv(this.services.clients.all()))
    const disposition = 'attachment; filename="clients.csv"'
    const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition }
    return new Reply(200, bytes, { headers })
  }
}
