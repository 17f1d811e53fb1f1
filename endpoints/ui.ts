/** /ui/{file}: what the admin page at / is made of. */

import { pageReply } from '../src/page/admin-page.ts'
import { Endpoint } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'

export class Default extends Endpoint {
  static access = 'public'
  static headers = ['accept-encoding']
  static summary = 'The files of the admin page'
  static responses = { GET: Type.String({ contentMediaType: '*/*' }) }

  GET(file: string) {
    return pageReply(file, this.call.headers['accept-encoding'])
  }
}
