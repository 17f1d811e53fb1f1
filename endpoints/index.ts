/** /: serves the admin page, and redirects to it from paths that people and browsers try. */
import { iconFile, pageReply } from '../src/page/admin-page.ts'
import { Endpoint, HttpError, Reply } from '../src/web/endpoint.ts'

export class Default extends Endpoint {
  static access = 'public'
  static headers = ['accept-encoding']
  static described = false

  GET() {
    return pageReply('index.html', this.call.headers['accept-encoding'])
  }
}

/** Redirects to the admin page. A class and no module, so that another tree can have a class `Admin`. */
export class Admin extends Endpoint {
  static access = 'public'
  static described = false

  GET() {
    return redirectTo('/')
  }
}

/** Redirects to the icon. Browsers ask for this path on pages that name no icon, such as a JSON answer. */
export class Favicon_ico extends Endpoint {
  static access = 'public'
  static described = false

  GET() {
    const file = iconFile()
    if (file === null) throw new HttpError(404, 'The admin page is not built. Build it with: npm run build')
    return redirectTo(`/ui/${file}`)
  }
}

function redirectTo(location: string): Reply {
  return new Reply(302, undefined, { headers: { location } })
}
