/** /swagger-ui: serves the API description for people. No file comes from another server. */
import { CONTENT_SECURITY_POLICY, pageFile } from '../../src/page/docs-page.ts'
import { Endpoint, HttpError, Reply } from '../../src/web/endpoint.ts'

export class Default extends Endpoint {
  static access = 'public'
  static described = false

  async GET(file = 'index.html') {
    const found = await pageFile(file)
    if (!found) throw new HttpError(404, 'The docs page has no such file. Open /swagger-ui.')
    return new Reply(200, found.bytes, {
      headers: {
        'content-type': found.type,
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      },
    })
  }
}
