/** Event stream at the path of the broker's event stream, with known bytes. */
import type { Files } from './trees.ts'

/** Sends the two events after `Last-Event-ID`, up to 45, then ends. */
export const EVENTS: Files = {
  'admin/api/events.ts': `import { Endpoint, HttpError, Reply } from 'waybill'
export class Default extends Endpoint {
  static access = 'MAN'
  static headers = ['last-event-id']
  GET() {
    const last = Number(this.call.headers['last-event-id'] ?? 0)
    if (last >= 45) throw new HttpError(403, 'That is all.')
    async function* stream() {
      yield 'retry: 1\\n\\n: a heartbeat\\n\\n'
      for (let id = last + 1; id <= last + 2; id++) yield 'event: status\\nid: ' + id + '\\ndata: {"n":' + id + '}\\n\\n'
    }
    return new Reply(200, stream(), { headers: { 'content-type': 'text/event-stream' } })
  }
}`,
}
