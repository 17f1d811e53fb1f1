/** Creates credentials of a client of each kind, so that a suite can run once per kind. */
import { ADMIN_PASSWORD, type BrokerUnderTest } from './broker.ts'
import { tokenOf } from './rest.ts'

export const BEARERS = ['token', 'key'] as const
export type Bearer = (typeof BEARERS)[number]

export async function clientIdOf({ rest }: BrokerUnderTest, deviseId: string): Promise<number> {
  const clients = (await rest.get('/admin/api/clients')).body as { id: number; deviseId: string }[]
  const found = clients.find((client) => client.deviseId === deviseId)
  if (!found) throw new Error(`there is no client "${deviseId}"`)
  return found.id
}

export interface CreatedKey {
  readonly id: number
  readonly key: string
}

/** Creates an API key of a client, as the admin. */
export async function addKey(
  broker: BrokerUnderTest,
  deviseId: string,
  body: object = {},
): Promise<CreatedKey> {
  const path = `/admin/api/clients/${await clientIdOf(broker, deviseId)}/keys`
  const { status, body: created, text } = await broker.rest.post(path, body)
  if (status !== 201) throw new Error(`no key was created: ${status} ${text}`)
  return created as CreatedKey
}

export async function bearerOf(
  broker: BrokerUnderTest,
  kind: Bearer,
  deviseId: string,
  password = ADMIN_PASSWORD,
): Promise<string> {
  return kind === 'key'
    ? (await addKey(broker, deviseId)).key
    : tokenOf(broker.server.url, deviseId, password)
}
