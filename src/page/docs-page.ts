/** Reads the files of the docs page: its own page, style and script, and the files of swagger-ui. Knows no request. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Content security policy that allows no inline code and no other origin. swagger-ui has its icons as data: URLs. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API</title>
<link rel="icon" href="/swagger-ui/favicon-32x32.png">
<link rel="stylesheet" href="/swagger-ui/swagger-ui.css">
<link rel="stylesheet" href="/swagger-ui/page.css">
<form id="login" hidden>
  <label>User name or id <input name="deviseId" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
  <output></output>
</form>
<div id="swagger-ui"></div>
<script src="/swagger-ui/swagger-ui-bundle.js"></script>
<script src="/swagger-ui/page.js"></script>
</html>
`

const STYLE = `body { margin: 0 }
#login { max-width: 1420px; box-sizing: border-box; margin: 1em auto; padding: 0 20px; font: 14px sans-serif }
#login label { margin-right: 1em }
#login input, #login button { font: inherit; padding: .3em .6em }
#login output { margin-left: 1em }
`

/**
 * Script of the page. swagger-ui sends the token of a login with every try-out, and keeps it until "Logout". The form
 * appears only if the described site has the login of the broker; any other site has the "Authorize" of swagger-ui.
 *
 * A signed-in tab of the admin page passes its token to this page, which does not store such a token.
 */
const SCRIPT = `const form = document.getElementById('login')
const ui = SwaggerUIBundle({
  url: '/v3/api-docs',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null,
  displayRequestDuration: true,
  onComplete() {
    const { info, paths, components } = ui.specSelectors.specJson().toJS()
    document.title = info.title
    const body = paths['/auth/login']?.post?.requestBody?.content['application/json']?.schema
    const { properties } = components.schemas[body?.$ref?.split('/').pop()] ?? {}
    form.hidden = properties?.deviseId === undefined
    if (!form.hidden) channel.postMessage({ ask: true, nonce })
  },
})
const say = (text) => { form.querySelector('output').textContent = text }
const channel = new BroadcastChannel('waybill.session')
const nonce = crypto.getRandomValues(new Uint32Array(4)).join('-')
let handed = null
channel.onmessage = ({ data }) => {
  if (data.token && (data.nonce === nonce || data.nonce === null) && !form.hidden) {
    handed = data.token
    ui.preauthorizeApiKey('bearer', handed)
    say('Signed in as ' + data.deviseId + ', role ' + data.role + ', as in the other tab.')
  }
  if (data.ended && data.ended === handed) {
    handed = null
    ui.authActions.logout(['bearer'])
    say('Signed out.')
  }
}
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    const answer = await fetch('/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new FormData(form))),
    })
    const body = await answer.json()
    if (!answer.ok) return say(body.message ?? 'The id or the password is wrong. Try again.')
    ui.preauthorizeApiKey('bearer', body.accessToken)
    ui.authActions.persistAuthorizationIfNeeded()
    form.reset()
    say('Signed in as ' + body.deviseId + ', role ' + body.role + '.')
  } catch {
    say('The server cannot be reached. Check that it runs, then try again.')
  }
})
`

/** Media types of the files of swagger-ui that the page uses. */
const SWAGGER_UI_TYPES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain',
  'swagger-ui.css': 'text/css',
  'favicon-32x32.png': 'image/png',
  LICENSE: 'text/plain',
  NOTICE: 'text/plain',
}

/** Names of the swagger-ui files that the build copies to a directory beside this file. */
export const COPIED_FILES: readonly string[] = Object.keys(SWAGGER_UI_TYPES)

const OWN_FILES: Readonly<Record<string, PageFile>> = {
  'index.html': { type: 'text/html; charset=utf-8', bytes: Buffer.from(PAGE) },
  'page.css': { type: 'text/css', bytes: Buffer.from(STYLE) },
  'page.js': { type: 'text/javascript', bytes: Buffer.from(SCRIPT) },
}

const loadedFiles = new Map<string, PageFile>(Object.entries(OWN_FILES))

/**
 * Returns a file of the page; null if the page has no such file. The name must be in a table, so it cannot be a path.
 */
export async function pageFile(name: string): Promise<PageFile | null> {
  const known = loadedFiles.get(name)
  if (known) return known
  const type = Object.hasOwn(SWAGGER_UI_TYPES, name) ? SWAGGER_UI_TYPES[name] : undefined
  if (type === undefined) return null
  const file = { type, bytes: await readFile(join(directory(), name)) }
  loadedFiles.set(name, file)
  return file
}

/** Returns the directory of the swagger-ui files: the copy in `dist`, else the package of a clone. */
function directory(): string {
  const copied = fileURLToPath(new URL('../../swagger-ui', import.meta.url))
  return existsSync(copied)
    ? copied
    : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}
