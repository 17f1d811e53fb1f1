/** A transport: lines of JSON over TCP. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, OPERATE } from './_support/drill.ts'
import type { DrilledServer } from './_support/drilled-server.ts'
import { LineDevice } from './_support/line-device.ts'

export const TRANSPORT: Drill = {
  change: 'a transport',
  name: 'transport',
  goal: { changed: 2, created: 8 },
  beyond: 'the types of the client name it, and its setting has a meaning in Russian',
  edits: {
    'src/app/transports.ts': [
      [
        "import { MQTT } from '../mqtt/transport.ts'\n",
        "import { LINES } from '../lines/transport.ts'\nimport { MQTT } from '../mqtt/transport.ts'\n",
      ],
      ['readonly TransportKind[] = [MQTT]', 'readonly TransportKind[] = [MQTT, LINES]'],
    ],
    'src/config/table.ts': [
      added(
        "import { MIN_SECRET_BYTES } from '../auth/token.ts'\n",
        "import { listenAddress } from '../net/address.ts'\n",
      ),
      ['  hostProblem,\n  originsProblem,', '  hostProblem,\n  listenAddressProblem,\n  originsProblem,'],
      added(
        '  ...MQTT_SETTINGS,\n',
        `  row({
    name: 'linesAddress',
    key: 'lines.address',
    env: 'LINES_ADDRESS',
    flag: '--lines <host:port|off>',
    schema: Text({ minLength: 1 }),
    default: 'off',
    meaning: 'address of the listener for lines of JSON; off disables it',
    listens: (address) => listenAddress(address)?.host ?? null,
    rule: listenAddressProblem,
  }),\n`,
      ),
    ],
    'src/config/meanings.ts': [
      added(
        "  'mqtt.qos': 'Качество обслуживания (QoS) команд и статусов, которые публикует брокер',\n",
        "  'lines.address': 'Адрес для строк JSON; off выключает их',\n",
      ),
    ],
    'test/unit/config.test.ts': [added('    bodyLimit: 262_144,\n', "    linesAddress: 'off',\n")],
  },
  written: [CLIENT_TYPES, OPERATE],
  args: ['--lines', '127.0.0.1:0'],
  served: {
    'a device connects → paced commands, acknowledgements, the list of connections, the end of its access':
      async (server) => {
        const url = await urlOf(server)
        const client = { deviseId: 'line-1', password: 'secret' }
        const { id: clientId } = await server.call('POST', '/admin/api/clients', client, 201)
        await server.call('PUT', '/admin/api/devices/line-1', { sendMessagePeriod: 300 })
        const send = (command: string) => server.send('line-1', { command })
        const [first, second] = [await send('open'), await send('close')]

        const device = await LineDevice.connect(url, 'line-1', 'secret')
        const open = await device.line(0)
        expect(open).toMatchObject({ id: first.id, command: 'open' })
        expect(await server.call('GET', '/admin/api/connections?deviseId=line-1')).toMatchObject([
          { deviseId: 'line-1', protocol: 'LINES', transport: 'TCP', devices: ['line-1'] },
        ])
        device.send({ id: first.id, deliveryStatus: 'COMPLETED' })
        const close = await device.line(1)
        expect(close).toMatchObject({ id: second.id, command: 'close' })
        expect(Number(close.currentTimestamp) - Number(open.currentTimestamp)).toBeGreaterThanOrEqual(300)
        expect(await server.details(first.id)).toMatchObject({ deliveryStatus: 'COMPLETED' })
        device.send({ id: 'none' })
        expect(await device.line(2)).toEqual({ error: expect.stringContaining('id') })

        await server.text('DELETE', `/admin/api/clients/${clientId}`, undefined, 204)
        await device.closed()
        expect(await server.call('GET', '/admin/api/connections?deviseId=line-1')).toEqual([])
      },
    'a wrong password → refused, and listed with the name of the transport': async (server) => {
      const device = await LineDevice.connect(await urlOf(server), 'line-2', 'guess')
      expect(await device.line(0)).toEqual({ error: expect.stringContaining('wrong') })
      await device.closed()
      const refused = await server.call('GET', '/admin/api/connections/refusals')
      expect(refused).toContainEqual(expect.objectContaining({ deviseId: 'line-2', transport: 'LINES' }))
    },
  },
}

/** Returns the URL where the transport listens. */
async function urlOf(server: DrilledServer): Promise<string> {
  const { listeners } = await server.call<{ listeners: { url: string }[] }>(
    'GET',
    '/admin/api/system?details=true',
  )
  return listeners.find(({ url }) => url.startsWith('lines:'))?.url ?? ''
}
