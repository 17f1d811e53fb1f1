/** The suite of two servers that are two nodes of one installation: whatever a client or an admin asks, either answers. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD } from '../_support/clients.ts'
import { EventStream } from '../_support/events.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { call } from '../_support/rest.ts'

export interface TwoNodes {
  readonly a: BrokerUnderTest
  readonly b: BrokerUnderTest
  /** Lets the lease of node A end. Null: the driver of the test cannot. */
  readonly lapse: (() => void) | null
  /** Ends node A as a crash does, as far as node B can see. */
  kill(): Promise<void> | void
}

interface Row {
  readonly id: number
  readonly [name: string]: unknown
}

const CONNECTIONS = '/admin/api/connections'
const SESSION_TAKEN_OVER = 0x8e

/** @param start starts two servers with the clients `lamp` and `panel` (DEVISE), the extra topics `t/#`, and MQTT */
export function clusterSessionsSuite(start: () => Promise<TwoNodes>): void {
  let nodes: TwoNodes
  beforeEach(async () => {
    nodes = await start()
  })

  const open = (node: BrokerUnderTest, username: string, options: object = {}): Promise<MqttPeer> =>
    MqttPeer.connect({
      ...{ port: node.mqttPort, username, password: PASSWORD, protocolVersion: 5, clientId: username },
      ...options,
    })
  const list = async (node: BrokerUnderTest): Promise<Row[]> =>
    (await node.rest.get(CONNECTIONS)).body as Row[]
  const device = async (node: BrokerUnderTest): Promise<Record<string, unknown>> =>
    (await node.rest.get('/admin/api/devices/lamp')).body as Record<string, unknown>
  const lasting = { clean: false, properties: { sessionExpiryInterval: 3_600 } }

  describe('MQTT session', () => {
    test('the client connects to another node → the first connection ends with 0x8E', async () => {
      const first = await open(nodes.a, 'lamp')
      const disconnect = first.packet('disconnect')
      const second = await open(nodes.b, 'lamp')
      expect((await disconnect).reasonCode).toBe(SESSION_TAKEN_OVER)
      await first.closed
      expect(await second.rest()).toEqual([])
    })

    test('the client moves ten times → the last connection stays', async () => {
      let last = await open(nodes.a, 'lamp')
      for (let i = 0; i < 10; i++) {
        const before = last
        last = await open(i % 2 === 0 ? nodes.b : nodes.a, 'lamp')
        await before.closed
      }
      expect(await last.rest()).toEqual([])
    })

    test('a lasting session continues on another node → its subscriptions are there', async () => {
      const first = await open(nodes.a, 'lamp', lasting)
      expect(first.connack.sessionPresent).toBe(false)
      await first.subscribe('t/x', 't/y')
      await first.client.unsubscribeAsync('t/y')
      const second = await open(nodes.b, 'lamp', lasting)
      expect(second.connack.sessionPresent).toBe(true)
      const panel = await open(nodes.b, 'panel')
      await panel.publish('t/y', 'unsubscribed')
      await panel.publish('t/x', 'subscribed')
      expect(await second.next()).toMatchObject({ topic: 't/x', text: 'subscribed' })
    })

    test('a lasting session was left → it continues on another node, and a clean start there discards it', async () => {
      const first = await open(nodes.a, 'lamp', lasting)
      await first.subscribe('t/x')
      await first.end()
      const second = await open(nodes.b, 'lamp', lasting)
      expect(second.connack.sessionPresent).toBe(true)
      await second.end()
      const third = await open(nodes.b, 'lamp', { ...lasting, clean: true })
      expect(third.connack.sessionPresent).toBe(false)
      await third.end()
      expect((await open(nodes.a, 'lamp', lasting)).connack.sessionPresent).toBe(false)
    })

    test.each(['a', 'b'] as const)(
      'a client with a will continues on node %s → its will comes once',
      async (next) => {
        const panel = await open(nodes.a, 'panel')
        await panel.subscribe('t/will')
        const will = { topic: 't/will', payload: Buffer.from('gone'), qos: 1 as const, retain: false }
        const first = await open(nodes.a, 'lamp', { will })
        await open(nodes[next], 'lamp', { will })
        await first.closed
        expect((await panel.next()).text).toBe('gone')
        expect(await panel.rest()).toEqual([])
      },
    )

    test.each(['a', 'b'] as const)(
      'a lasting session with a delayed will continues on node %s → no will',
      async (next) => {
        const panel = await open(nodes.a, 'panel')
        await panel.subscribe('t/will')
        const properties = { willDelayInterval: 3_600 }
        const will = {
          topic: 't/will',
          payload: Buffer.from('gone'),
          qos: 1 as const,
          retain: false,
          properties,
        }
        const first = await open(nodes.a, 'lamp', { ...lasting, will })
        await open(nodes[next], 'lamp', { ...lasting, will })
        await first.closed
        expect(await panel.rest()).toEqual([])
      },
    )

    test('a session that ends with its connection → another node begins a new one', async () => {
      const first = await open(nodes.a, 'lamp', { clean: false })
      await first.subscribe('t/x')
      expect((await open(nodes.b, 'lamp', { clean: false })).connack.sessionPresent).toBe(false)
      await first.closed
    })

    test('two clients with one MQTT client id → both stay', async () => {
      const lamp = await open(nodes.a, 'lamp', { clientId: 'one' })
      const panel = await open(nodes.b, 'panel', { clientId: 'one' })
      expect([await lamp.rest(), await panel.rest()]).toEqual([[], []])
    })
  })

  describe('connections', () => {
    test('a connection of another node → listed and ended by each', async () => {
      const lamp = await open(nodes.a, 'lamp')
      await lamp.subscribe('consumer/request/lamp')
      const panel = await open(nodes.b, 'panel')
      const rows = await eventually(async () => {
        const [onA, onB] = [await list(nodes.a), await list(nodes.b)]
        expect(onA.map(({ deviseId, devices }) => [deviseId, devices])).toEqual([
          ['lamp', ['lamp']],
          ['panel', []],
        ])
        const known = ({ lastPacketDate: _, ...row }: Row) => row
        expect(onB.map(known)).toEqual(onA.map(known))
        return onB
      })
      for (const { id } of rows) expect((await nodes.b.rest.delete(`${CONNECTIONS}/${id}`)).status).toBe(204)
      await Promise.all([lamp.closed, panel.closed])
      await eventually(async () => {
        expect([await list(nodes.a), await list(nodes.b)]).toEqual([[], []])
      })
      const [{ id }] = rows as [Row]
      expect((await nodes.b.rest.delete(`${CONNECTIONS}/${id}`)).status).toBe(404)
    })

    test('the other node ends → its connections and devices count no more', async () => {
      const lamp = await open(nodes.a, 'lamp')
      await lamp.subscribe('consumer/request/lamp')
      await eventually(async () => expect(await list(nodes.b)).toHaveLength(1))
      await nodes.kill()
      await eventually(async () => expect(await list(nodes.b)).toEqual([]))
      await eventually(async () => expect((await device(nodes.b)).transport).toBeNull())
    })

    test('the lease of a node is over → its connections end, and its clients may connect again', async ({
      skip,
    }) => {
      if (nodes.lapse === null) return skip('the lease cannot end')
      const lamp = await open(nodes.a, 'lamp')
      await lamp.subscribe('consumer/request/lamp')
      nodes.lapse()
      await lamp.closed
      // A node without a lease refuses clients.
      const again = await eventually(() => open(nodes.a, 'lamp'))
      const row = await eventually(async () => {
        const [row] = await list(nodes.b)
        expect(row?.deviseId).toBe('lamp')
        return row as Row
      })
      expect((await list(nodes.a)).map(({ id }) => id)).toEqual([row.id])
      await nodes.b.rest.delete(`${CONNECTIONS}/${row.id}`)
      await again.closed
    })
  })

  describe('presence', () => {
    test('a device connects and leaves → each node shows it, and streams an event', async () => {
      const events = await EventStream.open(`${nodes.b.server.url}/admin/api/events`, {
        authorization: `Bearer ${nodes.b.token}`,
      })
      await events.next()
      const lamp = await open(nodes.a, 'lamp')
      await lamp.subscribe('consumer/request/lamp')
      expect(await events.next()).toMatchObject({
        type: 'connection',
        data: { deviseId: 'lamp', connected: true },
      })
      expect(await device(nodes.b)).toMatchObject({ transport: 'MQTT' })
      await lamp.end()
      expect(await events.next()).toMatchObject({ type: 'connection', data: { connected: false } })
      expect((await device(nodes.b)).transport).toBeNull()
    })

    test('a reader returns to another node with its last event → GAP', async () => {
      const authorization = `Bearer ${nodes.a.token}`
      const events = await EventStream.open(`${nodes.a.server.url}/admin/api/events`, { authorization })
      await events.next()
      const returned = await EventStream.open(`${nodes.b.server.url}/admin/api/events`, {
        ...{ authorization: `Bearer ${nodes.b.token}`, 'last-event-id': events.lastId },
      })
      expect(await returned.next()).toMatchObject({ type: 'gap' })
    })
  })

  describe('answers of an admin', () => {
    test('refused logins on both nodes → one list on each', async () => {
      for (const node of [nodes.a, nodes.b]) {
        await call(node.server.url, 'POST', '/auth/login', { deviseId: 'ghost', password: 'wrong' })
      }
      // The list of each node has what that node has not written yet.
      await nodes.a.rest.get(`${CONNECTIONS}/refusals`)
      const { body } = await nodes.b.rest.get(`${CONNECTIONS}/refusals`)
      expect(body).toMatchObject([{ deviseId: 'ghost', count: 2 }])
      expect((await nodes.a.rest.get(`${CONNECTIONS}/refusals`)).body).toEqual(body)
    })

    test('messages stored on both nodes → one sum in the overview of each', async () => {
      await nodes.a.send('lamp', { command: 'on' })
      await nodes.b.send('panel', { command: 'on' })
      await nodes.a.rest.get('/admin/api/overview')
      const [onB, onA] = [
        (await nodes.b.rest.get('/admin/api/overview')).body,
        (await nodes.a.rest.get('/admin/api/overview')).body,
      ] as { since: number; hours: { stored: number[] } }[]
      expect(onB?.hours.stored.reduce((sum, each) => sum + each)).toBe(2)
      expect([onA?.since, onA?.hours]).toEqual([onB?.since, onB?.hours])
    })

    test('an import → each node shows its report', async () => {
      const csv = 'deviseId,password\npump,secret-1\n'
      const form = new FormData()
      form.append('file', new Blob([csv], { type: 'text/csv' }), 'clients.csv')
      const headers = { authorization: `Bearer ${nodes.a.token}` }
      const response = await fetch(`${nodes.a.server.url}/admin/api/clients/import`, {
        ...{ method: 'POST', headers, body: form },
      })
      expect(response.status).toBe(202)
      const { id } = (await response.json()) as { id: number }
      const path = `/admin/api/clients/import/${id}`
      await eventually(async () => {
        expect((await nodes.b.rest.get(path)).body).toMatchObject({ id, state: 'DONE', created: 1 })
      })
      expect((await nodes.a.rest.get(path)).body).toEqual((await nodes.b.rest.get(path)).body)
    })
  })
}
