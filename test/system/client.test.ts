/** `waybill/client` and the real server, as in a program. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { Client, ConnectionError, RequestError, TimeoutError } from '../../src/client/index.ts'
import { ADAPTERS } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { BUILT, PROJECT, unusedUrl } from '../_support/server.ts'

const ADMIN = { deviceId: 'admin', password: ADMIN_PASSWORD }

describe.each(ADAPTERS)('client over %s', (adapter) => {
  let url: string
  let client: Client
  beforeAll(async () => {
    const broker = await BrokerUnderTest.start({ adapter })
    url = broker.server.url
    client = new Client({ url, credentials: ADMIN })
  })

  test('settings of a device: set → returned; absent → general', async () => {
    expect(await client.setDeviceSettings('pump/2', { sendMessagePeriod: 0 })).toMatchObject({
      sendMessagePeriod: 0,
    })
    expect(await client.deviceSettings('pump/2')).toMatchObject({ sendMessagePeriod: 0 })
    await client.setDeviceSettings('pump/2', {})
    expect(await client.deviceSettings('pump/2')).toMatchObject({ sendMessagePeriod: null })
  })

  test('log in, send, poll, acknowledge, wait → the statuses of the command', async () => {
    const producer = new Client({ url })
    expect(await producer.login('admin', ADMIN_PASSWORD)).toMatchObject({ deviseId: 'admin', role: 'MAN' })
    const device = new Client({ url: `${url}/`, token: producer.token })

    const { id, deliveryStatus } = await producer.send(
      'pump/1',
      'start',
      { speed: 1.5 },
      { guarantee: 'ONLY_LAST' },
    )
    expect(deliveryStatus).toBe('NOT_DELIVERED')
    const message = await device.poll('pump/1')
    expect(message).toMatchObject({
      id,
      command: 'start',
      believerGuarantee: 'ONLY_LAST',
      data: { speed: 1.5 },
    })
    expect(await device.acknowledge('pump/1', id)).toBe('DELIVERED')
    expect(await producer.waitFor(id, ['DELIVERED'])).toBe('DELIVERED')

    const waiting = producer.waitFor(id)
    expect(await device.acknowledge('pump/1', id, 'COMPLETED')).toBe('COMPLETED')
    expect(await waiting).toBe('COMPLETED')
    expect(await device.poll('pump/1')).toBe(null)
  })

  test('send with a birth certificate → its tmpId is returned', async () => {
    const sent = await client.send('born', 'on', {}, { replyTo: { correlationId: 77, producerId: '0' } })
    expect(sent.tmpId).toBe(77)
  })

  test('waitFor another final status → returns the present one', async () => {
    const { id } = await client.send('lamp', 'on')
    await client.acknowledge('lamp', id, 'COMPLETED_WITH_ERROR')
    expect(await client.waitFor(id, ['COMPLETED'])).toBe('COMPLETED_WITH_ERROR')
  })

  test('waitFor with a time limit or a signal → TimeoutError, or the reason of the signal', async () => {
    const { id } = await client.send('deaf', 'on')
    const error = await client
      .waitFor(id, undefined, { timeoutMs: 1, intervalMs: 1 })
      .catch((caught) => caught)
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ status: 'NOT_DELIVERED' })
    await expect(
      client.waitFor(id, undefined, { signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough')
  })

  test('refused calls → RequestError with status, message and body', async () => {
    const error = await client.status(999_999).catch((caught) => caught)
    expect(error).toBeInstanceOf(RequestError)
    expect(error).toMatchObject({ status: 404, message: 'There is no message 999999.' })
    await expect(new Client({ url }).poll('x')).rejects.toMatchObject({
      status: 401,
      message: expect.stringMatching(/^A valid token is required\./),
    })
    await expect(new Client({ url }).login('admin', 'wrong')).rejects.toMatchObject({ status: 401 })
    const { id } = await client.send('once', 'on')
    await client.acknowledge('once', id, 'COMPLETED')
    await expect(client.acknowledge('once', id, 'COMPLETED_WITH_ERROR')).rejects.toMatchObject({
      status: 409,
      body: { deliveryStatus: 'COMPLETED' },
    })
  })

  test('an expired token, the credentials are known → replaced', async () => {
    const late = new Client({ url, token: 'ended', credentials: ADMIN })
    expect(await late.poll('absent')).toBe(null)
    expect(late.token).not.toBe('ended')
  })

  test('messages of a device → all, page after page, newest first', async () => {
    const ids: number[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await client.send('paged', `command ${n}`)).id)
    for (const limit of [1, 2, 5, 200]) {
      const found: number[] = []
      for await (const { id } of client.messages({ deviseId: 'paged', limit })) found.push(id)
      expect(found).toEqual(ids)
    }
    const [newest] = ids
    const older = client.messages({ deviseId: 'paged', before: newest, limit: 1 })
    expect(await older.next()).toMatchObject({ value: { id: ids[1], command: 'command 3' } })
    await older.return(undefined)
    await expect(new Client({ url }).messages().next()).rejects.toMatchObject({ status: 401 })
  })

  test('subscribe → ready, then the changes of a status', async () => {
    const events = client.subscribe()
    expect(await events.next()).toMatchObject({ value: { event: 'ready' } })
    const { id } = await client.send('bell', 'ring')
    await client.acknowledge('bell', id, 'COMPLETED')
    const message = (deliveryStatus: string) => ({
      event: 'message',
      data: { id, deviseId: 'bell', deliveryStatus },
    })
    expect(await events.next()).toMatchObject({ value: message('NOT_DELIVERED') })
    expect(await events.next()).toMatchObject({ value: message('COMPLETED') })
    await events.return(undefined)
  })

  test('call → an operation typed by the description', async () => {
    const { role, deviseId } = await client.call((api) => api.GET('/auth/me'))
    expect([role, deviseId]).toEqual(['MAN', 'admin'])
  })
})

test('client: no server listens → ConnectionError with the reason', async () => {
  const url = await unusedUrl()
  const client = new Client({ url, credentials: ADMIN })
  const error = await client.poll('x').catch((caught) => caught)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error.message).toBe(
    `${url} cannot be reached: ECONNREFUSED. Check the address, and that the server is running.`,
  )
})

test('client: imported from the package → runs, and uses nothing of Node', async () => {
  const [bin = ''] = BUILT
  const root = join(dirname(bin), '../..')
  const user = temporaryDirectory()
  mkdirSync(join(user, 'node_modules'))
  symlinkSync(root, join(user, 'node_modules/waybill'))
  writeFileSync(
    join(user, 'use.mjs'),
    `import { Client } from 'waybill/client'\nconsole.log(typeof new Client({ url: 'http://x' }).send)`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, ['use.mjs'], { cwd: user })
  expect(stdout).toBe('function\n')
  for (const file of readdirSync(join(PROJECT, 'src/client'))) {
    expect(readFileSync(join(PROJECT, 'src/client', file), 'utf8')).not.toMatch(
      /['"]node:|process\.|Buffer\b/,
    )
  }
})
