/** Server with an endpoint beside the broker, whose services the test calls itself with any value. */
import type { SharedBroker } from '../../src/index.ts'
import { ADAPTER } from './adapter.ts'
import { temporaryDirectory } from './cleanup.ts'
import { startInProcess } from './in-process.ts'
import { type Rest, withToken } from './rest.ts'
import type { Server } from './server.ts'
import { code, writeTree } from './trees.ts'

export const BODY_LIMIT = 2_000

/** Exposes the services of an endpoint to the test. */
const FILES = {
  'services.ts': code(`export class Default extends Endpoint {
    GET() {
      globalThis.servicesOfTest = this.services
      return Object.keys(this.services)
    }
    POST({ deviceId, text }) {
      return this.services.broker.enqueue({ deviceId, command: 'c', data: new RawJson(text) })
    }
  }`),
  'message.ts': code(`export class Default extends Endpoint {
    static positionals = { GET: [Type.Integer()] }
    GET(id) { return this.services.broker.message(id) }
  }`),
}

export interface Shared {
  readonly server: Server
  readonly rest: Rest
  /** Names of the services that the endpoint has. */
  readonly names: unknown
  readonly broker: SharedBroker
}

/**
 * Starts a server without access checks, whose directory is checked at its end, and takes the services of an endpoint
 * beside the broker.
 *
 * @param unchecked true if the test provokes errors
 */
export async function startShared(unchecked = false): Promise<Shared> {
  const server = await startInProcess({
    flags: { adapter: ADAPTER, prefixes: [writeTree(FILES), '@broker'] },
    env: {
      ADMIN_PASSWORD: 'secret',
      APP_SECURITY_PERMIT_ALL: 'true',
      WAYBILL_BODY_LIMIT: String(BODY_LIMIT),
    },
    dataDir: temporaryDirectory(),
    unchecked,
  })
  const rest = withToken(server.url, '')
  const { body } = await rest.get('/services')
  const { servicesOfTest } = globalThis as unknown as { servicesOfTest: { broker: SharedBroker } }
  return { server, rest, names: body, broker: servicesOfTest.broker }
}
