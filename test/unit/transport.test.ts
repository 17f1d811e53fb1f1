/** A transport of any kind may run beside MQTT. This one is in memory and keeps its messages in a list. */
import { beforeEach, expect, test } from 'vitest'
import { CloseStack } from '../../src/app/close-stack.ts'
import { type Domain, openDomain } from '../../src/app/domain.ts'
import { type OpenTransports, openTransports } from '../../src/app/open-transports.ts'
import type { MaybePromise } from '../../src/broker/contract/store.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import type { Transport, TransportServices } from '../../src/transport/transport.ts'
import type { MessageResult } from '../../src/wire/results.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { settingsOf } from '../_support/settings.ts'
import { openIn } from '../_support/store.ts'
import { recordingLog } from '../_support/trees.ts'

class InMemory implements Transport {
  readonly name: string
  readonly url = null
  readonly received: { readonly deviceId: string; readonly message: DispatchedMessage }[] = []
  readonly notified: { readonly producerId: string; readonly result: MessageResult }[] = []
  /** True when a connection accepts the messages. */
  takes: MaybePromise<boolean> = true
  services: TransportServices | null = null

  constructor(name: string) {
    this.name = name
  }

  async start(services: TransportServices): Promise<void> {
    this.services = services
  }

  dispatch(deviceId: string, message: DispatchedMessage): MaybePromise<boolean> {
    this.received.push({ deviceId, message })
    return this.takes
  }

  disconnect(): void {}

  disconnectAll(): void {}

  notify(producerId: string, result: MessageResult): void {
    this.notified.push({ producerId, result })
  }

  async stop(): Promise<void> {}
}

const LAMP = { id: 'lamp', roles: ['DEVISE'] }
const PANEL = { id: 'panel', roles: ['DEVISE'] }
const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value))

let first: InMemory
let second: InMemory
let domain: Domain
let opened: OpenTransports

beforeEach(async () => {
  const env = { ADMIN_PASSWORD: 'x', COMMON_SEND_MESSAGE_PERIOD: '0', APP_SECURITY_OWN_QUEUE_ONLY: 'true' }
  const settings = settingsOf({ env, flags: { dataDir: temporaryDirectory() } })
  const closing = new CloseStack()
  whenDone(() => closing.close())
  const log = recordingLog()
  const storage = openIn(settings.dataDir)
  closing.add(() => storage.close())
  domain = await openDomain(storage, settings, log, systemClock)
  first = new InMemory('FIRST')
  second = new InMemory('SECOND')
  opened = await openTransports(domain, [first, second], { settings, log }, closing)
})

const services = (): TransportServices => first.services as TransportServices

test('transport: a device attaches → it receives its command, and its acknowledgement settles it', async () => {
  services().attach('lamp', first.name)
  expect(domain.presence.of('lamp')).toMatchObject({ transport: 'FIRST' })
  const payload = bytes({ command: 'on', messageBirthCertificate: { tmpId: 7, producerDeviseId: 'panel' } })
  expect(await services().commands.submit(PANEL, 'lamp', payload)).toBeNull()
  const [{ deviceId, message }] = first.received as [InMemory['received'][number]]
  expect([deviceId, message.command, typeof message.atMs]).toEqual(['lamp', 'on', 'number'])

  const report = bytes({ id: message.id, deliveryStatus: 'COMPLETED' })
  expect(await services().commands.acknowledge(LAMP, 'lamp', report)).toBeNull()
  expect(await domain.broker.status(message.id)).toBe('COMPLETED')
  const statuses = ['NOT_DELIVERED', 'COMPLETED'].map((deliveryStatus) => ({
    producerId: 'panel',
    result: { id: message.id, tmpId: 7, deliveryStatus },
  }))
  expect(first.notified).toEqual(statuses)
  expect(second.notified).toEqual(statuses)
})

test.each([
  ['both take it → delivered', true, true, 'DELIVERED'],
  ['one takes it at once → delivered', false, true, 'DELIVERED'],
  ['one takes it later → delivered', Promise.resolve(false), Promise.resolve(true), 'DELIVERED'],
  ['none takes it → unknown', Promise.resolve(false), false, 'UNKNOWN'],
])('two transports: %s', async (_what, one, other, status) => {
  first.takes = one
  second.takes = other
  services().attach('lamp', first.name)
  const { id } = await domain.broker.enqueue(message({ deviceId: 'lamp', guarantee: 'NO' }))
  await expect.poll(() => domain.broker.status(id)).toBe(status)
  expect([first.received.length, second.received.length]).toEqual([1, 1])
})

test("command handler: an acknowledgement for another client's queue → 403, the command stays pending", async () => {
  const { id } = await domain.broker.enqueue(message({ deviceId: 'lamp' }))
  const report = bytes({ id, deliveryStatus: 'COMPLETED' })
  expect(await services().commands.acknowledge(PANEL, 'lamp', report)).toMatchObject({ status: 403 })
  expect(await domain.broker.status(id)).toBe('NOT_DELIVERED')
})

test('command handler: no JSON → 400, nothing is pending', async () => {
  expect(await services().commands.submit(PANEL, 'lamp', Buffer.from('on'))).toMatchObject({ status: 400 })
  expect(await domain.storage.messages.head('lamp')).toBeNull()
})

test('logins: a wrong password → rejected, and recorded with the name of the transport', async () => {
  await domain.clients.create({ deviceId: 'boss', password: 'secret', role: 'MAN' })
  const { signal } = new AbortController()
  const login = {
    username: 'ghost',
    password: 'guess',
    address: '::1',
    clientId: null,
    transport: 'FIRST',
    signal,
  }
  await expect(services().logins.logIn(login)).rejects.toMatchObject({ reason: 'WRONG_CREDENTIALS' })
  expect(domain.rejections.all()).toMatchObject([{ deviceId: 'ghost', transport: 'FIRST', address: '::1' }])
})

test('connections: the client is deleted → its connection ends and leaves the list', async () => {
  const lamp = await domain.clients.create({ deviceId: 'lamp', password: 'secret' })
  const { connections } = opened
  let ended = 0
  const state = {
    clientId: '',
    devices: [],
    address: '::1',
    transport: 'TCP',
    protocol: 'FIRST',
    version: '1',
  } as const
  const entry = connections.add({
    protocol: state.protocol,
    describe: () => ({ ...state, sinceMs: 1, lastPacketAtMs: 2, subscriptions: 0, deviceCount: 0 }),
    disconnect() {},
    receives: () => false,
    accessEnded: () => void ended++,
  })
  expect(connections.list(0, 10)).toEqual([])
  connections.identify(entry, domain.access.grant(lamp))
  expect(connections.list(0, 10)).toMatchObject([{ id: 1, deviceId: 'lamp', version: '1' }])
  await domain.clients.remove(lamp.id)
  expect([ended, entry.client, connections.list(0, 10)]).toEqual([1, null, []])
})

test('stop: the dispatch is closed → a device that attaches receives nothing', async () => {
  await domain.broker.enqueue(message({ deviceId: 'lamp' }))
  await opened.dispatch.close()
  services().attach('lamp', first.name)
  await new Promise(setImmediate)
  expect(first.received).toEqual([])
})
