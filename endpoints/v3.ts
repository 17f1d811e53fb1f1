/** /v3: what answers here, for programs: OpenAPI 3.1 as JSON and as YAML. */
import { stringify } from 'yaml'
import type { Uses } from '../src/services.ts'
import { Endpoint, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'

class ApiDocs extends Endpoint<Uses<'describe'>> {
  static access = 'public'
  static summary = 'This description, as JSON'
  static responses = { GET: Type.Object({ openapi: Type.String() }) }
  static errors = { GET: [] }

  GET() {
    return this.services.describe()
  }
}

class ApiDocsYaml extends Endpoint<Uses<'describe'>> {
  static access = 'public'
  static summary = 'This description, as YAML'
  static responses = { GET: Type.String({ contentMediaType: 'application/yaml' }) }
  static errors = { GET: [] }

  GET() {
    const description = this.services.describe()
    const text =
      inYaml.get(description) ?? Buffer.from(stringify(description, { aliasDuplicateObjects: false }))
    inYaml.set(description, text)
    return new Reply(200, text, { headers: { 'content-type': 'application/yaml' } })
  }
}

/** Takes a hundred times as long as JSON, and anyone may ask. */
const inYaml = new WeakMap<object, Uint8Array>()

// No class can have a hyphen in its name, but an export can.
export { ApiDocs as 'api-docs', ApiDocsYaml as 'api-docs.yaml' }
