/** /: serves the admin page. */
import { pageReply } from '../src/page/admin-page.ts'
import { Endpoint, Reply } from '../src/web/endpoint.ts'

export class Default extends Endpoint {
  static access = 'public'
  static headers = ['accept-encoding']
  static described = false

  GET() {
    return pageReply('index.html', this.call.headers['accept-encoding'])
  }
}

/** Redirects from the path that Swagger UI has in many servers. */
class SwaggerUi extends Endpoint {
  static access = 'public'
  static described = false

  GET() {
    return new Reply(302, undefined, { headers: { location: '/swagger-ui' } })
  }
}

export { SwaggerUi as 'swagger-ui.html' }
