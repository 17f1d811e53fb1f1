/** /admin/api/events: streams changes as they happen. */
import { FEED_TYPES, type FeedEvent, MAX_NAMED_DEVICES } from '../../../src/broker/views/feed.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, HttpError, Reply } from '../../../src/web/endpoint.ts'
import { type Static, Type } from '../../../src/web/schema.ts'
import { eventStream } from '../../../src/wire/event-stream.ts'
import { DeviceId } from '../../../src/wire/messages.ts'

export const tag = {
  name: 'Events',
  description: 'Changes of messages, connections, alerts, incidents and logs of devices, as they happen',
}

type EventsQuery = Static<typeof EventsQuery>
const EventsQuery = Type.Object({
  details: Type.Boolean({
    default: false,
    description: 'true adds the events of alerts and of actions on many messages, and details of changes',
  }),
  events: Type.Optional(
    Type.String({
      pattern: `^(${FEED_TYPES.join('|')})(,(${FEED_TYPES.join('|')}))*$`,
      description: `types of the events, with commas between them: ${FEED_TYPES.join(', ')}; default: message and connection, with details also alert and bulk`,
      examples: ['message,incident'],
    }),
  ),
  deviseId: Type.Array(DeviceId, {
    maxItems: MAX_NAMED_DEVICES,
    default: [],
    description:
      'only events of these devices; those of actions on many messages and of incidents stay. Events of type log need it',
  }),
})

export class Default extends Endpoint<UsesOwn<'feed'>> {
  static access = ['MAN', 'READER']
  static headers = ['last-event-id']
  static keywords = { GET: EventsQuery }
  static operationId = { GET: 'streamEvents' }
  static summary =
    'Stream changes of messages, connections, alerts, incidents and logs of devices as they happen'
  static responses = { GET: Type.String({ contentMediaType: 'text/event-stream' }) }
  static errors = { GET: ['too-many-streams'] }

  GET({ details, events, deviseId: deviceIds }: EventsQuery) {
    const { 'last-event-id': lastId } = this.call.headers
    const types = events?.split(',') as FeedEvent['type'][] | undefined
    const withLogs = types?.includes('log') ?? false
    if (withLogs && deviceIds.length === 0) {
      const text = 'Events of type log need "deviseId", the ids of 1 to 20 devices.'
      throw new HttpError(400, text, { code: 'bad-keyword', params: { name: 'deviseId' } })
    }
    const batches = this.services.feed.follow(lastId || undefined, withLogs ? deviceIds : [])
    const headers = {
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    }
    return new Reply(200, eventStream(batches, { details, types, deviceIds }), { headers })
  }
}
