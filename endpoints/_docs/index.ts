/** /swagger-ui.html: redirects from the usual path of Swagger UI. */
import { Endpoint, Reply } from '../../src/web/endpoint.ts'

class SwaggerUi extends Endpoint {
  static access = 'public'
  static described = false

  GET() {
    return new Reply(302, undefined, { headers: { location: '/swagger-ui' } })
  }
}

// A class name cannot have a dot. An export name can.
export { SwaggerUi as 'swagger-ui.html' }
