/** /admin/api/events: streams changes as they happen. */
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { type Static, Type } from '../../../src/web/schema.ts'
import { eventStream } from '../../../src/wire/event-stream.ts'

export const tag = { name: 'Events', description: 'Changes of messages and connections, as they happen' }

type EventsQuery = Static<typeof EventsQuery>
const EventsQuery = Type.Object({
  details: Type.Boolean({
    default: false,
    description: 'true adds the events of alerts and of actions on many messages, and details of changes',
  }),
})

export class Default extends Endpoint<UsesOwn<'feed'>> {
  static access = ['MAN', 'READER']
  static headers = ['last-event-id']
  static keywords = { GET: EventsQuery }
  static operationId = { GET: 'streamEvents' }
  static summary = 'Stream changes of messages and connections as they happen'
  static responses = { GET: Type.String({ contentMediaType: 'text/event-stream' }) }
  static errors = { GET: ['too-many-streams'] }

  GET({ details }: EventsQuery) {
    const { 'last-event-id': lastId } = this.call.headers
    const headers = {
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    }
    return new Reply(200, eventStream(this.services.feed.follow(lastId || undefined), details), { headers })
  }
}
