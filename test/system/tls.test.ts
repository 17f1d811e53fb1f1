/** HTTPS and MQTT over TLS, and a certificate that changes while the server runs. */
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import { generate, type Packet } from 'mqtt-packet'
import { describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { hasOpenssl, makeCertificate } from '../_support/certificates.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { proxyHeader } from '../_support/proxy-header.ts'
import { LOCAL, runCommand, type ServerProcess, startServer } from '../_support/server.ts'

const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }

/** Returns the common name of the certificate that a port presents. */
function shown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

function get(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const req = request(url, { rejectUnauthorized: false, agent: false }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      res.on('end', () => resolve(text))
    })
    req.once('error', reject).end()
  })
}

/** Opens a TLS connection whose first bytes are a header. @param together true: the header and the first bytes of TLS are one write */
async function connectBehind(header: Buffer, port: number, together: boolean): Promise<TLSSocket> {
  const socket = connectTcp({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  let first: readonly Buffer[] = together ? [header] : []
  if (!together) socket.write(header)
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      socket.write(Buffer.concat([...first, chunk]), done)
      first = []
    },
  })
  socket.on('data', (chunk) => void stream.push(chunk)).on('close', () => void stream.push(null))
  whenDone(() => void socket.destroy())
  const secure = connect({ socket: stream, rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  return secure
}

describe.skipIf(!hasOpenssl)('TLS', () => {
  const start = async (
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ server: ServerProcess; cert: string; key: string; mqttPort: number }> => {
    const directory = temporaryDirectory()
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    makeCertificate(cert, key, 'first')
    const env = { ADMIN_PASSWORD, TLS_CERT: cert, TLS_KEY: key, ...more }
    const args = [...LOCAL, '--mqtt', '127.0.0.1:0']
    const server = await startServer({ args, env, dataDir: temporaryDirectory() })
    const mqttPort = Number(/mqtts:.*:(\d+)$/.exec(server.log.map(({ mqtt }) => mqtt).join(''))?.[1])
    return { server, cert, key, mqttPort }
  }

  test('REST, MQTT and MQTT over WebSocket → all over TLS', async () => {
    const { server, mqttPort } = await start()
    expect(server.url).toMatch(/^https:/)
    expect(await get(server.url)).toContain('<title>Waybill</title>')
    const tls = { rejectUnauthorized: false, ...LOGIN }
    const peer = await MqttPeer.connect({ port: mqttPort, protocol: 'mqtts', ...tls })
    await peer.subscribe('x')
    const { port } = new URL(server.url)
    const web = await MqttPeer.connect({
      port: Number(port),
      protocol: 'wss',
      path: '/mqtt',
      wsOptions: tls,
      ...LOGIN,
    })
    await web.publish('x', 'hello')
    expect((await peer.next()).text).toBe('hello')
  })

  test.each([
    ['alone', false],
    ['together with the handshake', true],
  ])(
    'a PROXY protocol header before the handshake, %s → the address of the client',
    async (_name, together) => {
      const { server, cert, key, mqttPort } = await start({
        ...{
          WAYBILL_TRUSTED_PROXIES: '127.0.0.1',
          MQTT_PROXY_PROTOCOL: 'true',
          APP_SECURITY_PERMIT_ALL: 'true',
        },
      })
      const socket = await connectBehind(proxyHeader(), mqttPort, together)
      socket.write(
        generate({ cmd: 'connect', clientId: 'c', clean: true, keepalive: 0, username: 'lamp' } as Packet),
      )
      expect((await once(socket, 'data'))[0]).toEqual(Buffer.from('20020000', 'hex'))
      const connections = JSON.parse(await get(`${server.url}/admin/api/connections`))
      expect(connections).toMatchObject([{ deviseId: 'lamp', address: '203.0.113.5', transport: 'TLS' }])

      // Without a header the handshake is refused.
      await expect(shown(mqttPort)).rejects.toThrow()
      makeCertificate(cert, key, 'second')
      await server.logged(({ msg }) => msg === 'TLS: the new certificate is in use')
      const renewed = await connectBehind(proxyHeader(), mqttPort, together)
      expect(renewed.getPeerCertificate().subject.CN).toBe('second')
      expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
    },
  )

  test('a changed certificate → used at once, connections stay; without its key → not used', async () => {
    const { server, cert, key, mqttPort } = await start()
    const peer = await MqttPeer.connect({
      port: mqttPort,
      protocol: 'mqtts',
      rejectUnauthorized: false,
      ...LOGIN,
    })
    makeCertificate(`${cert}.new`, `${key}.new`, 'second')
    renameSync(`${cert}.new`, cert)
    await server.logged(({ msg }) => msg.startsWith('TLS: the new certificate cannot be used'))
    expect(await shown(mqttPort)).toBe('first')
    renameSync(`${key}.new`, key)
    await server.logged(({ msg }) => msg === 'TLS: the new certificate is in use')
    expect(await shown(mqttPort)).toBe('second')
    expect(await shown(Number(new URL(server.url).port))).toBe('second')
    expect(await peer.subscribe('x')).toEqual([1])
  })

  test('SIGHUP after both files were replaced → the new certificate, the same process', async () => {
    const { server, cert, key, mqttPort } = await start()
    makeCertificate(cert, key, 'second')
    process.kill(server.pid, 'SIGHUP')
    await server.logged(({ msg }) => msg === 'TLS: the new certificate is in use')
    expect(await shown(mqttPort)).toBe('second')
    expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
    expect(server.log.filter(({ msg }) => msg.startsWith('TLS:'))).toHaveLength(1)
  })

  test('a client without TLS → its connection ends, others are answered', async () => {
    const { server, mqttPort } = await start()
    for (const port of [mqttPort, Number(new URL(server.url).port)]) {
      const client = await Client.connect(port)
      await client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.closed
    }
    expect(await get(server.url)).toContain('<title>Waybill</title>')
  })

  test('SIGTERM while a client is connected → exit code 0', async () => {
    const { server, mqttPort } = await start()
    await MqttPeer.connect({ port: mqttPort, protocol: 'mqtts', rejectUnauthorized: false, ...LOGIN })
    expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
  })
})

test('TLS: an unusable certificate → the start is refused with the remedy', async () => {
  const file = join(temporaryDirectory(), 'no.pem')
  writeFileSync(file, 'nothing')
  const env = { TLS_CERT: file, TLS_KEY: file }
  const { code, stderr } = await runCommand({ args: LOCAL, env, dataDir: temporaryDirectory() })
  expect(code).toBe(78)
  expect(stderr).toMatch(
    /^waybill: TLS: .* cannot be used \(.*\): name a certificate and its key in PEM form[^\n]*\n$/,
  )
})

test('TLS: no certificate → http', async () => {
  const { server } = await BrokerUnderTest.start()
  expect(server.url).toMatch(/^http:/)
})
