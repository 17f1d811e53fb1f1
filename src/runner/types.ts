/** `waybill types`: prints TypeScript types of the API, for clients that use openapi-fetch. */
import type { OpenAPI3 } from 'openapi-typescript'
import { EXIT, Exit } from '../process/exit.ts'
import { describeSite } from '../web/openapi.ts'
import type { Site } from '../web/site.ts'

const HEAD =
  '/** Made by "waybill types". Do not edit it: change the endpoints, then run the command again. */\n'

const NOT_INSTALLED =
  'openapi-typescript, which makes the types, is not installed. Run: npm install --save-dev openapi-typescript typescript'

/**
 * Returns a module with the type `paths`, for `createClient<paths>` of openapi-fetch.
 *
 * @param load imports openapi-typescript, an optional peer dependency
 * @throws {Exit} when openapi-typescript is not installed
 */
export async function typesOf(site: Site, load = () => import('openapi-typescript')): Promise<string> {
  const { default: toTypes, astToString } = await load().catch(notLoaded)
  // No type depends on title and version.
  const description = describeSite(site, { title: 'API', version: '0' }, true)
  // A round trip through JSON drops the symbols of TypeBox.
  const plain = JSON.parse(JSON.stringify(description)) as OpenAPI3
  // The order of exports depends on how Node loads a file: by name as an ES module, as written as CommonJS.
  return HEAD + astToString(await toTypes(plain, { silent: true, alphabetize: true }))
}

function notLoaded(error: NodeJS.ErrnoException): never {
  throw error.code === 'ERR_MODULE_NOT_FOUND' ? new Exit(EXIT.failure, NOT_INSTALLED) : error
}
