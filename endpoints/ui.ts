/** /ui/{file}: serves the scripts, styles and pictures of the admin page. */
import { pageReply } from '../src/page/admin-page.ts'
import { Endpoint } from '../src/web/endpoint.ts'

export class Default extends Endpoint {
  static access = 'public'
  static headers = ['accept-encoding']
  static described = false

  GET(file: string) {
    return pageReply(file, this.call.headers['accept-encoding'])
  }
}
