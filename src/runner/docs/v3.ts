/** /v3: serves the API description, OpenAPI 3.1 as JSON. */
import { Endpoint } from '../../web/endpoint.ts'

class ApiDocs extends Endpoint<{ readonly describe: () => object }> {
  static access = 'public'
  static described = false

  GET() {
    return this.services.describe()
  }
}

// A class name cannot have a hyphen. An export name can.
export { ApiDocs as 'api-docs' }
