/** /livez: answers while the event loop runs. */
import { Endpoint } from '../src/web/endpoint.ts'
import { Alive, aliveReply, tag as healthTag } from './_health.ts'

export const tag = healthTag

export class Default extends Endpoint {
  static access = 'public'
  static operationId = { GET: 'isAlive' }
  static summary = 'Check that the process answers'
  static responses = { GET: Alive }

  GET() {
    return aliveReply()
  }
}
