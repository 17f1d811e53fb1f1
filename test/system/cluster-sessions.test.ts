/** Two nodes of the product over one PostgreSQL: a client moves, and a producer is on another node than its device. */
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { startInProcess } from '../_support/in-process.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const PASSWORD = 'correct horse'

interface ProductNode {
  readonly port: number
  readonly rest: Rest
}

async function startNode(schema: string): Promise<ProductNode> {
  const server = await startInProcess({
    flags: { store: postgresServer().url(schema), mqttAddress: '127.0.0.1:0' },
    env: { ADMIN_PASSWORD: PASSWORD, COMMON_SEND_MESSAGE_PERIOD: '0' },
    dataDir: temporaryDirectory(),
  })
  const { mqtt } = await server.logged((line) => typeof line.mqtt === 'string')
  return { port: Number(new URL(mqtt as string).port), rest: await logIn(server.url, 'admin', PASSWORD) }
}

const open = ({ port }: ProductNode, clientId: string): Promise<MqttPeer> =>
  MqttPeer.connect({ port, clientId, username: 'admin', password: PASSWORD, protocolVersion: 5 })

test('a producer and its device on two nodes → each status arrives once; the device moves → its commands follow', async () => {
  const schema = newSchema()
  const [a, b] = [await startNode(schema), await startNode(schema)]
  const panel = await open(a, 'panel')
  await panel.subscribe('producer/response/admin')
  const first = await open(b, 'lamp')
  await first.subscribe('consumer/request/lamp')
  const send = async (device: MqttPeer, tmpId: number): Promise<void> => {
    const birth = { tmpId, producerDeviseId: 'admin' }
    await panel.publish('producer/request/lamp', { command: 'on', messageBirthCertificate: birth })
    const { id } = JSON.parse((await device.next()).text) as { id: number }
    await device.publish('consumer/response/lamp', { id, deliveryStatus: 'COMPLETED' })
    const statuses = [await panel.next(), await panel.next()].map(({ text }) => JSON.parse(text))
    expect(statuses).toMatchObject([
      { id, tmpId, deliveryStatus: 'NOT_DELIVERED' },
      { id, tmpId, deliveryStatus: 'COMPLETED' },
    ])
  }
  await send(first, 7)
  const second = await open(a, 'lamp')
  await first.closed
  await second.subscribe('consumer/request/lamp')
  await send(second, 8)
  expect(await panel.rest()).toEqual([])
})
