/** /admin/api/incidents: lists the causes that need a person, and changes their states. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import {
  AcknowledgeBody,
  ChangedAnswer,
  IncidentAnswer,
  IncidentNoteBody,
  IncidentQuery,
  IncidentsAnswer,
  LineAnswer,
  MemberAnswer,
  MemberQuery,
  MuteBody,
  ReopenBody,
  ResolveBody,
  toChangedAnswer,
  toFilter,
  toIncidentAnswer,
  toIncidentsAnswer,
  toLineAnswer,
  toMemberAnswer,
} from './_incidents.ts'
import { LINK_HEADER, page } from './_paging.ts'
import { Id, MAX_ROWS } from './_schemas.ts'

export const tag = {
  name: 'Incidents',
  description: 'Causes that need a person: alerts that belong together, with their history',
}

type Uses = UsesOwn<'incidents'>

export class Default extends Endpoint<Uses> {
  static access = ['MAN', 'READER']
  static keywords = { GET: IncidentQuery }
  static operationId = { GET: 'listIncidents' }
  static summary = 'List the incidents, most urgent first; those that have ended, newest first'
  static responses = { GET: IncidentsAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ ...query }: IncidentQuery) {
    const limit = Math.min(query.limit, MAX_ROWS)
    return toIncidentsAnswer(await this.services.incidents.list(toFilter(query), limit))
  }
}

export class Incident extends Endpoint<Uses> {
  static access = ['MAN', 'READER']
  static segment = false
  static positionals = { GET: [Id] }
  static operationId = { GET: 'getIncident' }
  static summary = 'Show an incident with its reasons and its history'
  static responses = { GET: IncidentAnswer }
  static errors = { GET: ['unknown-incident', ...STORAGE_ERRORS] }

  async GET(id: number) {
    return toIncidentAnswer(await this.services.incidents.get(id))
  }
}

export class Members extends Endpoint<Uses> {
  static access = ['MAN', 'READER']
  static member = 1
  static positionals = { GET: [Id] }
  static keywords = { GET: MemberQuery }
  static operationId = { GET: 'listIncidentMembers' }
  static summary = 'List the conditions that belong to an incident, also those that have ended'
  static responses = { GET: Type.Array(MemberAnswer) }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: ['unknown-incident', ...STORAGE_ERRORS] }

  async GET(id: number, { after, ...query }: MemberQuery) {
    const limit = Math.min(query.limit, MAX_ROWS)
    const found = await this.services.incidents.members(id, after ?? '', limit + 1)
    const members = found.slice(0, limit)
    const next = found.length > limit ? { after: members.at(-1)?.key as string } : null
    return page(members.map(toMemberAnswer), this.call.path, { limit }, next)
  }
}

export class Notes extends Endpoint<Uses> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [Id] }
  static keywords = { POST: IncidentNoteBody }
  static operationId = { POST: 'addIncidentNote' }
  static summary = 'Add a note to the history of an incident'
  static responses = { POST: { 201: LineAnswer } }
  static errors = { POST: ['unknown-incident', ...STORAGE_ERRORS] }

  async POST(id: number, { text }: IncidentNoteBody) {
    const line = await this.services.incidents.note(id, text, actorOf(this.call))
    return new Reply(201, toLineAnswer(line))
  }
}

export class Acknowledge extends Endpoint<Uses> {
  static access = 'MAN'
  static keywords = { POST: AcknowledgeBody }
  static operationId = { POST: 'acknowledgeIncidents' }
  static summary = 'Acknowledge incidents for a day, or until they grow'
  static responses = { POST: ChangedAnswer }
  static errors = { POST: STORAGE_ERRORS }

  async POST({ ids, note }: AcknowledgeBody) {
    const action = { is: 'acknowledge', note: note ?? null } as const
    return toChangedAnswer(await this.services.incidents.change(ids, action, actorOf(this.call)))
  }
}

export class Mute extends Endpoint<Uses> {
  static access = 'MAN'
  static keywords = { POST: MuteBody }
  static operationId = { POST: 'muteIncidents' }
  static summary = 'Mute incidents until a date'
  static responses = { POST: ChangedAnswer }
  static errors = { POST: ['bad-range', ...STORAGE_ERRORS] }

  async POST({ ids, untilDate, note }: MuteBody) {
    const action = { is: 'mute', untilMs: untilDate, note: note ?? null } as const
    return toChangedAnswer(await this.services.incidents.change(ids, action, actorOf(this.call)))
  }
}

export class Reopen extends Endpoint<Uses> {
  static access = 'MAN'
  static keywords = { POST: ReopenBody }
  static operationId = { POST: 'reopenIncidents' }
  static summary = 'Open acknowledged or muted incidents again'
  static responses = { POST: ChangedAnswer }
  static errors = { POST: STORAGE_ERRORS }

  async POST({ ids }: ReopenBody) {
    const action = { is: 'reopen' } as const
    return toChangedAnswer(await this.services.incidents.change(ids, action, actorOf(this.call)))
  }
}

export class Resolve extends Endpoint<Uses> {
  static access = 'MAN'
  static keywords = { POST: ResolveBody }
  static operationId = { POST: 'resolveIncidents' }
  static summary = 'End incidents; conditions that last do not begin them again'
  static responses = { POST: ChangedAnswer }
  static errors = { POST: STORAGE_ERRORS }

  async POST({ ids, note }: ResolveBody) {
    const action = { is: 'resolve', note } as const
    return toChangedAnswer(await this.services.incidents.change(ids, action, actorOf(this.call)))
  }
}
