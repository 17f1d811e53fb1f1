/** /admin/api/devices: shows devices, replaces their settings, and cancels their pending messages. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { toLogItem } from '../../../src/wire/log-item.ts'
import { DeviceId } from '../../../src/wire/messages.ts'
import { CancelAllBody, CancelledMessagesAnswer, toCancelledMessages } from '../../_schemas.ts'
import { DeviceSettingsAnswer } from './_answers.ts'
import {
  NoteAnswer,
  NoteBody,
  NoteId,
  ServiceAnswer,
  ServiceBody,
  ServiceQuery,
  ServiceStateAnswer,
  toNoteAnswer,
  toServiceAnswer,
} from './_device-service.ts'
import {
  CountsQuery,
  DeviceAnswer,
  DeviceCountsAnswer,
  DeviceQuery,
  DevicesQuery,
  QueueAnswer,
  QueueQuery,
  toDetailedDeviceAnswer,
  toDeviceAnswer,
  toDeviceCounts,
  toOneDeviceAnswer,
  toQueueAnswer,
} from './_devices.ts'
import { LINK_HEADER, page } from './_paging.ts'
import {
  LogEntryAnswer,
  LogQuery,
  PresenceAnswer,
  RangeQuery,
  toLogQuery,
  toPresenceAnswer,
  toRange,
} from './_presence.ts'
import { DeviceSettingsBody, MAX_ROWS, toDeviceSettings, toDeviceSettingsAnswer } from './_schemas.ts'

export const tag = {
  name: 'Devices',
  description: 'Devices with their pending messages, presence and settings',
}

export class Default extends Endpoint<UsesOwn<'devices'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: DevicesQuery }
  static operationId = { GET: 'listDevices' }
  static summary = 'List the devices that are clients or have messages'
  static responses = { GET: Type.Array(DeviceAnswer) }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ after = '', details, ...filter }: DevicesQuery) {
    const limit = Math.min(filter.limit, MAX_ROWS)
    const { devices } = this.services
    if (!details) {
      const { search } = filter
      const { items, next } = await devices.list(after, limit, search)
      return page(items.map(toDeviceAnswer), this.call.path, { search, limit }, nextOf(next))
    }
    const { items, next } = await devices.search({
      ...filter,
      search: filter.search ?? '',
      states: filter.state,
      after,
      limit,
    })
    const lists = { state: filter.state.join(',') || null, with: filter.with.join(',') || null }
    const query = { ...filter, ...lists, limit, details }
    return page(items.map(toDetailedDeviceAnswer), this.call.path, query, nextOf(next))
  }
}

function nextOf(next: string | null) {
  return next === null ? null : { after: next }
}

export class Counts extends Endpoint<UsesOwn<'devices'>> {
  static access = ['MAN', 'READER']
  static operationId = { GET: 'countDevices' }
  static keywords = { GET: CountsQuery }
  static summary = 'Count the devices by state and by what is wrong'
  static responses = { GET: DeviceCountsAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ details }: CountsQuery) {
    return toDeviceCounts(await this.services.devices.counts(), details)
  }
}

export class Device extends Endpoint<UsesOwn<'devices'>> {
  static access = { GET: ['MAN', 'READER'], PUT: 'MAN' }
  static segment = false
  static positionals = { GET: [DeviceId], PUT: [DeviceId] }
  static keywords = { GET: DeviceQuery, PUT: DeviceSettingsBody }
  static operationId = { GET: 'getDevice', PUT: 'replaceDeviceSettings' }
  static summary = {
    GET: 'Show a device',
    PUT: 'Replace all settings of a device; omitted and null settings get the general value',
  }
  static responses = { GET: DeviceAnswer, PUT: DeviceSettingsAnswer }
  static errors = { GET: STORAGE_ERRORS, PUT: ['bad-terms', ...STORAGE_ERRORS] }

  async GET(deviceId: string, { details }: DeviceQuery) {
    const { devices } = this.services
    return details
      ? toOneDeviceAnswer(await devices.detail(deviceId))
      : toDeviceAnswer(await devices.get(deviceId))
  }

  async PUT(deviceId: string, { ...members }: DeviceSettingsBody) {
    const settings = toDeviceSettings(members)
    await this.services.devices.changeSettings(deviceId, settings, actorOf(this.call))
    return toDeviceSettingsAnswer(settings)
  }
}

export class Queue extends Endpoint<UsesOwn<'devices'>> {
  static access = ['MAN', 'READER']
  static member = 1
  static positionals = { GET: [DeviceId] }
  static keywords = { GET: QueueQuery }
  static operationId = { GET: 'listQueue' }
  static summary = 'List the oldest pending messages of a device'
  static responses = { GET: QueueAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET(deviceId: string, { limit }: QueueQuery) {
    return toQueueAnswer(await this.services.devices.queue(deviceId, Math.min(limit, MAX_ROWS)))
  }
}

export class Presence extends Endpoint<UsesOwn<'presence'>> {
  static access = ['MAN', 'READER']
  static member = 1
  static positionals = { GET: [DeviceId] }
  static keywords = { GET: RangeQuery }
  static operationId = { GET: 'getDevicePresence' }
  static summary = 'Show when a device was present'
  static responses = { GET: PresenceAnswer }
  static errors = { GET: ['bad-range', ...STORAGE_ERRORS] }

  async GET(deviceId: string, { ...query }: RangeQuery) {
    const { presence } = this.services
    const { fromMs, toMs } = toRange(query, presence.nowMs())
    return toPresenceAnswer(await presence.report(deviceId, fromMs, toMs))
  }
}

export class Log extends Endpoint<UsesOwn<'presence'>> {
  static access = ['MAN', 'READER']
  static member = 1
  static positionals = { GET: [DeviceId] }
  static keywords = { GET: LogQuery }
  static operationId = { GET: 'listDeviceLog' }
  static summary = 'List what happened to a device, newest first'
  static responses = { GET: Type.Array(LogEntryAnswer) }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: ['bad-range', ...STORAGE_ERRORS] }

  async GET(deviceId: string, { ...query }: LogQuery) {
    const { presence } = this.services
    const asked = toLogQuery(query, presence.nowMs())
    const { items, next } = await presence.log(deviceId, asked)
    const { kind, from, to } = query
    const given = { from, to, kind: kind.join(',') || null, limit: asked.limit }
    return page(items.map(toLogItem), this.call.path, given, next === null ? null : { before: next })
  }
}

export class Service extends Endpoint<UsesOwn<'deviceService'>> {
  static access = { GET: ['MAN', 'READER'], PUT: 'MAN', DELETE: 'MAN' }
  static member = 1
  static positionals = { GET: [DeviceId], PUT: [DeviceId], DELETE: [DeviceId] }
  static keywords = { GET: ServiceQuery, PUT: ServiceBody }
  static operationId = {
    GET: 'getDeviceService',
    PUT: 'takeDeviceOutOfService',
    DELETE: 'returnDeviceToService',
  }
  static summary = {
    GET: 'Show whether a device is out of service, and how many of its messages expire until a date',
    PUT: 'Take a device out of service: its messages wait until a date, or until a person ends it',
    DELETE: 'Return a device to service',
  }
  static responses = { GET: ServiceStateAnswer, PUT: ServiceAnswer, DELETE: { 204: null } }
  static errors = {
    GET: STORAGE_ERRORS,
    PUT: ['bad-terms', ...STORAGE_ERRORS],
    DELETE: ['in-service', ...STORAGE_ERRORS],
  }

  async GET(deviceId: string, { untilDate }: ServiceQuery) {
    const { deviceService } = this.services
    const service = deviceService.of(deviceId)
    const expiring = await deviceService.countExpiring(deviceId, untilDate ?? null)
    return { service: service && toServiceAnswer(service), expiring }
  }

  async PUT(deviceId: string, { reason, untilDate }: ServiceBody) {
    const request = { reason, untilMs: untilDate ?? null }
    return toServiceAnswer(await this.services.deviceService.start(deviceId, request, actorOf(this.call)))
  }

  async DELETE(deviceId: string) {
    await this.services.deviceService.end(deviceId, actorOf(this.call))
  }
}

export class Notes extends Endpoint<UsesOwn<'notes'>> {
  static access = { GET: ['MAN', 'READER'], POST: 'MAN', DELETE: 'MAN' }
  static member = 1
  static positionals = { GET: [DeviceId], POST: [DeviceId], DELETE: [DeviceId, NoteId] }
  static keywords = { POST: NoteBody }
  static operationId = { GET: 'listDeviceNotes', POST: 'addDeviceNote', DELETE: 'removeDeviceNote' }
  static summary = {
    GET: 'List the notes about a device, the newest first',
    POST: 'Add a note about a device',
    DELETE: 'Remove a note about a device',
  }
  static responses = {
    GET: Type.Array(NoteAnswer),
    POST: { 201: NoteAnswer },
    DELETE: { 204: null },
  }
  static errors = {
    GET: STORAGE_ERRORS,
    POST: ['too-many-notes', ...STORAGE_ERRORS],
    DELETE: ['unknown-note', ...STORAGE_ERRORS],
  }

  async GET(deviceId: string) {
    return (await this.services.notes.list(deviceId)).map(toNoteAnswer)
  }

  async POST(deviceId: string, { text }: NoteBody) {
    return new Reply(201, toNoteAnswer(await this.services.notes.add(deviceId, text, actorOf(this.call))))
  }

  async DELETE(deviceId: string, noteId: number) {
    await this.services.notes.remove(deviceId, noteId, actorOf(this.call))
  }
}

export class Cancel extends Endpoint<UsesOwn<'queues'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { POST: [DeviceId] }
  static keywords = { POST: CancelAllBody }
  static operationId = { POST: 'cancelDeviceMessages' }
  static summary = 'Cancel the pending messages of a device'
  static responses = { POST: CancelledMessagesAnswer }
  static errors = { POST: STORAGE_ERRORS }

  async POST(deviceId: string, { command, force }: CancelAllBody) {
    const filter = { command: command ?? undefined, force: force ?? false }
    return toCancelledMessages(await this.services.queues.cancelAll(deviceId, filter, actorOf(this.call)))
  }
}
