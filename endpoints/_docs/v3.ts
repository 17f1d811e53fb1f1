/** /v3: serves the API description for programs: OpenAPI 3.1 as JSON and as YAML. */
import type { UsesOwn } from '../../src/services.ts'
import { Endpoint, Reply } from '../../src/web/endpoint.ts'

class ApiDocs extends Endpoint<UsesOwn<'describe'>> {
  static access = 'public'
  static described = false

  GET() {
    return this.services.describe()
  }
}

class ApiDocsYaml extends Endpoint<UsesOwn<'describe'>> {
  static access = 'public'
  static described = false

  async GET() {
    const description = this.services.describe()
    const text = yamlTexts.get(description) ?? (await yamlOf(description))
    yamlTexts.set(description, text)
    return new Reply(200, text, { headers: { 'content-type': 'application/yaml' } })
  }
}

async function yamlOf(description: object): Promise<Uint8Array> {
  // Loaded by the first request for YAML. The library takes 0.9 MB of heap.
  const { stringify } = await import('yaml')
  return Buffer.from(stringify(description, { aliasDuplicateObjects: false }))
}

/** YAML text of each description. Generating it takes a hundred times as long as JSON, and access is public. */
const yamlTexts = new WeakMap<object, Uint8Array>()

// A class name cannot have a hyphen. An export name can.
export { ApiDocs as 'api-docs', ApiDocsYaml as 'api-docs.yaml' }
