/** Broker over real sockets whose admin has logged in. Its methods are named after the calls of the REST API. */
import { cpSync } from 'node:fs'
import { ADAPTER } from './adapter.ts'
import { temporaryDirectory } from './cleanup.ts'
import { ADMIN_PASSWORD, withClients } from './clients.ts'
import { type Answer as RawAnswer, request } from './http.ts'
import { type InProcessOptions, startInProcess } from './in-process.ts'
import { type Answer, type Rest, tokenOf, withToken } from './rest.ts'
import { LOCAL, type Server, type ServerProcess, startServer } from './server.ts'
import { shareDatabase } from './shared-database.ts'

export { ADMIN_PASSWORD }
export const JWT_SECRET = 'only-for-tests-0123456789abcdefgh'

export interface BrokerOptions {
  readonly adapter?: string
  readonly env?: Readonly<Record<string, string>>
  readonly dataDir?: string
  /** Listens for MQTT on a free port. */
  readonly mqtt?: boolean
}

/** Options of a start without incidents, for tests of alerts: an alert leaves the list when it belongs to an incident. */
export const ALERTS_ONLY = { replaced: { recordingMs: 3_600_000 } } as const

export class BrokerUnderTest<Kind extends Server = Server> {
  readonly server: Kind
  readonly rest: Rest
  readonly token: string
  readonly dataDir: string

  constructor(server: Kind, token: string, dataDir: string) {
    this.server = server
    this.dataDir = dataDir
    this.rest = withToken(server.url, token)
    this.token = token
  }

  /**
   * Starts a broker in the process of the test.
   *
   * @param options.adminPassword password of the admin, if not the default
   * @param options.prefixes directories of endpoints; the broker alone by default
   * @param options.unchecked true if the test provokes errors or damage, so that nothing is checked after it
   */
  static async start({
    adapter = ADAPTER,
    env,
    dataDir: given,
    mqtt = false,
    unchecked = false,
    replaced,
    adminPassword = ADMIN_PASSWORD,
    prefixes,
  }: BrokerOptions &
    Pick<InProcessOptions, 'unchecked' | 'replaced'> & {
      readonly adminPassword?: string
      readonly prefixes?: string[]
    } = {}): Promise<BrokerUnderTest> {
    const dataDir = given ?? (await withClients())
    const server = await startInProcess({
      flags: { adapter, ...(mqtt && { mqttAddress: '127.0.0.1:0' }), ...(prefixes && { prefixes }) },
      env: { ADMIN_PASSWORD, JWT_SECRET, ...env },
      dataDir,
      unchecked,
      ...(replaced && { replaced }),
    })
    return new BrokerUnderTest(server, await tokenOf(server.url, 'admin', adminPassword), dataDir)
  }

  /** Starts a broker in a separate process, which can be killed. */
  static async spawn({
    adapter = ADAPTER,
    env,
    dataDir = temporaryDirectory(),
    mqtt = false,
  }: BrokerOptions = {}): Promise<BrokerUnderTest<ServerProcess>> {
    const server = await startServer({
      args: [...LOCAL, '--adapter', adapter, ...(mqtt ? ['--mqtt', '127.0.0.1:0'] : [])],
      env: { ADMIN_PASSWORD, JWT_SECRET, ...env },
      dataDir,
    })
    return new BrokerUnderTest(server, await tokenOf(server.url, 'admin', ADMIN_PASSWORD), dataDir)
  }

  /**
   * Copies the data directory of the running broker: the files that a killed process leaves. Over PostgreSQL a server
   * on the copy is a further node on the same database.
   */
  leftBehind(): string {
    const copy = temporaryDirectory()
    shareDatabase(copy, this.dataDir)
    cpSync(this.dataDir, copy, { recursive: true })
    return copy
  }

  get port(): number {
    return Number(new URL(this.server.url).port)
  }

  /** Sends exactly this target and these bytes as the admin, by default as JSON. */
  raw(
    method: string,
    target: string,
    body?: string | Uint8Array,
    type = 'application/json',
  ): Promise<RawAnswer> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': type }
    return request(this.port, method, target, { headers, body })
  }

  get mqttPort(): number {
    const line = this.server.log.find(({ mqtt }) => typeof mqtt === 'string')
    if (!line) throw new Error('it was started without MQTT')
    return Number(new URL(line.mqtt as string).port)
  }

  /** @returns the id of the stored message */
  async send(deviceId: string, message: object): Promise<number> {
    const { status, body, text } = await this.request(deviceId, message)
    if (status !== 200) throw new Error(`not stored: ${status} ${text}`)
    return (body as { id: number }).id
  }

  request(deviceId: string, message: object | string): Promise<Answer> {
    return this.rest.put(`/producer/request/${encodeURIComponent(deviceId)}`, message)
  }

  poll(deviceId: string): Promise<Answer> {
    return this.rest.get(`/consumer/getLastMessage/${encodeURIComponent(deviceId)}`)
  }

  /** Returns the id of the message that a poll returns; null without one. */
  async next(deviceId: string): Promise<number | null> {
    const { body } = await this.poll(deviceId)
    return (body as { id: number }[])[0]?.id ?? null
  }

  acknowledge(deviceId: string, acknowledgement: object): Promise<Answer> {
    return this.rest.post(`/consumer/request/${encodeURIComponent(deviceId)}`, acknowledgement)
  }

  async status(id: number): Promise<string> {
    const { body } = await this.rest.get(`/producer/getMessageStatus/${id}`)
    return (body as { deliveryStatus: string }).deliveryStatus
  }
}
