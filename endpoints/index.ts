/** /: says what answers here. */
import { Endpoint, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'

export class Default extends Endpoint {
  static access = 'public'
  static summary = 'Says what answers here'
  static answers = { GET: Type.Object({ name: Type.String() }) }
  static errors = { GET: [] }

  GET() {
    return { name: 'waybill' }
  }
}

/** Where people look for the docs page too. */
class SwaggerUi extends Endpoint {
  static access = 'public'
  static summary = 'Leads to /swagger-ui'
  static answers = { GET: { 302: null } }
  static replyHeaders = { GET: { Location: Type.String() } }
  static errors = { GET: [] }

  GET() {
    return new Reply(302, undefined, { headers: { location: '/swagger-ui' } })
  }
}

export { SwaggerUi as 'swagger-ui.html' }
