/** Holds requests open, each on a separate connection. */
import type { BrokerUnderTest } from './broker.ts'
import { Client, request, requestOf } from './http.ts'

/**
 * Sends requests with GET as the admin. Resolves when the server has read all of them, as the answer to a later request
 * shows.
 */
export async function openRequests(
  broker: Pick<BrokerUnderTest, 'port' | 'token'>,
  targets: readonly string[],
): Promise<Client[]> {
  const headers = { authorization: `Bearer ${broker.token}` }
  const clients: Client[] = []
  for (const target of targets) {
    const client = await Client.connect(broker.port)
    await client.send(requestOf('GET', target, { headers }))
    clients.push(client)
  }
  await request(broker.port, 'GET', '/nothing')
  return clients
}

export async function openRequest(
  broker: Pick<BrokerUnderTest, 'port' | 'token'>,
  target: string,
): Promise<Client> {
  const [client] = await openRequests(broker, [target])
  return client as Client
}
