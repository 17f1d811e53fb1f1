/** mosquitto_pub and mosquitto_sub with each version of the protocol. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { hasMosquitto, type Mosquitto, mosquitto } from '../_support/mosquitto.ts'

const LAMP = ['-u', 'lamp', '-P', PASSWORD]
const ADMIN = ['-u', 'admin', '-P', ADMIN_PASSWORD]

describe.skipIf(!hasMosquitto)('mosquitto clients', () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp'), mqtt: true })
  })

  describe.each(['mqttv31', 'mqttv311', 'mqttv5'])('%s', (version) => {
    const run = (tool: 'pub' | 'sub', ...args: (string | number)[]): Mosquitto =>
      mosquitto(tool, ['-p', broker.mqttPort, '-V', version, ...args])
    /** Starts mosquitto_sub and waits until it is subscribed. */
    const listening = async (...args: (string | number)[]): Promise<Mosquitto> => {
      const sub = run('sub', '-d', ...args)
      await sub.says('received SUBACK')
      return sub
    }

    test.each([0, 1, 2])('publish with QoS %i → received', async (qos) => {
      const topic = `weather/${version}/${qos}`
      const sub = await listening(...ADMIN, '-t', topic, '-q', qos, '-C', 1)
      expect((await run('pub', ...ADMIN, '-t', topic, '-q', qos, '-m', 'fine').ended).code).toBe(0)
      const { code, out } = await sub.ended
      expect(code).toBe(0)
      expect(out).toContain('\nfine\n')
    })

    test('a command → stored for the device', async () => {
      const device = `pump-${version}`
      const sent = run('pub', ...LAMP, '-t', `producer/request/${device}`, '-q', 1, '-m', '{"command":"on"}')
      expect((await sent.ended).code).toBe(0)
      expect((await broker.poll(device)).body).toMatchObject([{ command: 'on' }])
    })

    test('a gateway by its API key → receives for its device; the key is deleted → refused', async () => {
      const hub = `hub-${version}`
      const limits = { ownQueueOnly: true, devices: [`${hub}-*`] }
      const { body } = await broker.rest.post('/admin/api/clients', {
        deviseId: hub,
        password: 'x',
        ...limits,
      })
      const keys = `/admin/api/clients/${(body as { id: number }).id}/keys`
      const { id, key } = (await broker.rest.post(keys, {})).body as { id: number; key: string }
      const login = ['-u', hub, '-P', key, '-t', 'consumer/request/+', '-C', 1]
      const sub = await listening(...login)
      await broker.send(`other-${version}`, { command: 'foreign' })
      await broker.send(`${hub}-1`, { command: 'own' })
      const { out } = await sub.ended
      expect(out).toContain('"command":"own"')
      expect(out).not.toContain('foreign')
      await broker.rest.delete(`${keys}/${id}`)
      expect((await run('sub', ...login).ended).code).not.toBe(0)
    })

    test('a retained message → received; removed → not received', async () => {
      const topic = `retained/${version}`
      await run('pub', ...ADMIN, '-t', topic, '-r', '-q', 1, '-m', 'kept').ended
      expect((await run('sub', ...ADMIN, '-t', topic, '-C', 1).ended).out).toBe('kept\n')
      await run('pub', ...ADMIN, '-t', topic, '-r', '-q', 1, '-n').ended
      const sub = await listening(...ADMIN, '-t', topic, '-C', 1)
      await run('pub', ...ADMIN, '-t', topic, '-q', 1, '-m', 'new').ended
      const { out } = await sub.ended
      expect(out).toContain('\nnew\n')
      expect(out).not.toContain('kept')
    })

    test('a client with a will is killed → the will is published', async () => {
      const topic = `will/${version}`
      const witness = await listening(...ADMIN, '-t', topic, '-C', 1)
      const will = ['--will-topic', topic, '--will-payload', 'gone', '--will-qos', 1]
      const dying = await listening(...ADMIN, '-t', 'x', ...will)
      dying.kill('SIGKILL')
      expect((await witness.ended).out).toContain('\ngone\n')
    })

    test('a persistent session → its messages are received later', async () => {
      const topic = `kept/${version}`
      const session = [...ADMIN, '-i', version, '-c', '-t', topic, '-q', 1]
      if (version === 'mqttv5') session.push('-x', '100')
      await run('sub', ...session, '-E').ended
      for (const text of ['one', 'two']) await run('pub', ...ADMIN, '-t', topic, '-q', 1, '-m', text).ended
      expect((await run('sub', ...session, '-C', 2).ended).out).toBe('one\ntwo\n')
    })

    test('unsubscribe → messages of the other topic only', async () => {
      const args = [...ADMIN, '-t', `yes/${version}`, '-t', `no/${version}`, '-U', `no/${version}`, '-C', 1]
      const sub = run('sub', '-d', ...args)
      await sub.says('received UNSUBACK')
      await run('pub', ...ADMIN, '-t', `no/${version}`, '-q', 1, '-m', 'wrong').ended
      await run('pub', ...ADMIN, '-t', `yes/${version}`, '-q', 1, '-m', 'right').ended
      const { out } = await sub.ended
      expect(out).toContain('\nright\n')
      expect(out).not.toContain('wrong')
    })

    test('a wrong password → refused', async () => {
      const { code, out } = await run('pub', '-u', 'lamp', '-P', 'guess', '-t', 'x', '-m', 'x').ended
      expect(code).not.toBe(0)
      expect(out).toMatch(/bad user name or password/i)
    })
  })
})
