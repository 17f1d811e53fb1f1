/** An event stream at the path of the broker's, which a test knows to the last byte. */
import type { Files } from './trees.ts'

/** Ends after two events, each time; goes on behind the one it is told, up to 45. */
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
