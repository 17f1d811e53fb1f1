/** /: says what answers here. */
import { Endpoint } from '../src/web/endpoint.ts'

export class Default extends Endpoint {
  static access = 'public'

  GET() {
    return { name: 'waybill' }
  }
}
