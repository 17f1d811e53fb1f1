/** /: serves the admin page. */
import { pageReply } from '../src/page/admin-page.ts'
import { Endpoint, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'

export class Default extends Endpoint {
  static access = 'public'
  static headers = ['accept-encoding']
  static summary = 'Show the admin page'
  static responses = { GET: Type.String({ contentMediaType: 'text/html' }) }

  GET() {
    return pageReply('index.html', this.call.headers['accept-encoding'])
  }
}

/** Redirects from the path that Swagger UI has in many servers. */
class SwaggerUi extends Endpoint {
  static access = 'public'
  static summary = 'Redirect to /swagger-ui'
  static responses = { GET: { 302: null } }
  static replyHeaders = { GET: { Location: Type.String() } }
  static errors = { GET: [] }

  GET() {
    return new Reply(302, undefined, { headers: { location: '/swagger-ui' } })
  }
}

export { SwaggerUi as 'swagger-ui.html' }
