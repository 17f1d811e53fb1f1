/** /livez: answers while the event loop runs. */
import { Endpoint } from '../src/web/endpoint.ts'
import { aliveReply } from './_health.ts'

export class Default extends Endpoint {
  static access = 'public'
  static described = false

  GET() {
    return aliveReply()
  }
}
