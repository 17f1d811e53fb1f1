/**
 * Client frozen at the interface of the first release. It performs one scenario over REST and MQTT, and records every
 * body that it gets, so that a test can compare them byte for byte. New features must not show in any of them.
 */
import type { BrokerUnderTest } from './broker.ts'
import { MqttPeer } from './mqtt.ts'
import { type Answer, type Rest, withToken } from './rest.ts'

const PASSWORD = 'frozen solid'

/** Returns the transcript of the scenario. Ids count from 1 in their order of appearance; dates and tokens are words. */
export async function transcriptOf(broker: BrokerUnderTest, name: string): Promise<string> {
  const frozen = new FrozenClient(broker, name)
  await frozen.clients()
  await frozen.commandsOverRest()
  await frozen.refusals()
  await frozen.admin()
  await frozen.templates()
  for (const version of [3, 4, 5] as const) await frozen.commandsOverMqtt(version)
  return `${frozen.lines.join('\n')}\n`
}

class FrozenClient {
  readonly lines: string[] = []
  readonly #broker: BrokerUnderTest
  readonly #pump: string
  readonly #shop: string
  #asPump: Rest
  #asShop: Rest
  /** Ids by kind, in their order of appearance. */
  readonly #ids: Readonly<Record<string, string[]>> = { client: [], template: [], message: [] }

  constructor(broker: BrokerUnderTest, name: string) {
    this.#broker = broker
    this.#pump = `${name}-pump`
    this.#shop = `${name}-shop`
    this.#asPump = broker.rest
    this.#asShop = broker.rest
  }

  async clients(): Promise<void> {
    const { rest, server } = this.#broker
    const anyone = withToken(server.url)
    for (const deviseId of [this.#pump, this.#shop]) {
      this.#note(
        'create client',
        await rest.post('/admin/api/clients', { deviseId, password: PASSWORD, role: 'DEVISE' }),
      )
    }
    this.#note('login, wrong', await anyone.post('/auth/login', { deviseId: this.#pump, password: 'no' }))
    const [pump, shop] = [await this.#login(this.#pump), await this.#login(this.#shop)]
    this.#asPump = withToken(server.url, pump)
    this.#asShop = withToken(server.url, shop)
    this.#note('me', await this.#asPump.get('/auth/me'))
    this.#note('me, no token', await anyone.get('/auth/me'))
    const enabled = { username: this.#pump, password: PASSWORD }
    this.#note('enabled', await anyone.post('/auth/isClientEnabled', enabled))
  }

  async #login(deviseId: string): Promise<string> {
    const anyone = withToken(this.#broker.server.url)
    const answer = await anyone.post('/auth/login', { deviseId, password: PASSWORD })
    this.#note('login', answer)
    return (answer.body as { accessToken: string }).accessToken
  }

  async commandsOverRest(): Promise<void> {
    const certificate = { tmpId: 17, producerDeviseId: this.#shop }
    const first = await this.#send({
      command: 'start',
      data: { speed: 1 },
      messageBirthCertificate: certificate,
    })
    const second = await this.#send({ command: 'beep', believerGuarantee: 'NO' })
    await this.#poll()
    await this.#poll()
    await this.#status(first)
    await this.#acknowledge({ id: first })
    await this.#acknowledge({ id: first, deliveryStatus: 'DELIVERED' })
    await this.#status(first)
    await this.#acknowledge({ id: first, deliveryStatus: 'COMPLETED' })
    await this.#acknowledge({ id: first, deliveryStatus: 'COMPLETED' })
    await this.#acknowledge({ id: first, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    await this.#poll()
    await this.#poll()
    await this.#status(second)
    const failed = await this.#send({ command: 'stop' })
    await this.#acknowledge({ id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR', result: 7, reason: 'hot' })
    const replaced = await this.#send({ command: 'turn', believerGuarantee: 'ONLY_LAST', data: { to: 1 } })
    const last = await this.#send({ command: 'turn', believerGuarantee: 'ONLY_LAST', data: { to: 2 } })
    await this.#status(replaced)
    await this.#acknowledge({ id: replaced, deliveryStatus: 'COMPLETED' })
    await this.#poll()
    await this.#acknowledge({ id: last, deliveryStatus: 'COMPLETED' })
    this.#note('check queue', await this.#asPump.head(`/consumer/getLastMessage/${this.#pump}`))
  }

  async refusals(): Promise<void> {
    await this.#acknowledge({ id: 999_999_999 })
    await this.#acknowledge({ deliveryStatus: 'COMPLETED' })
    await this.#acknowledge({ id: 1, deliveryStatus: 'CANCELLED' })
    this.#note('status of no message', await this.#asShop.get('/producer/getMessageStatus/999999999'))
    const path = `/producer/request/${this.#pump}`
    this.#note('send nothing', await this.#asShop.put(path, {}))
    this.#note('send a list', await this.#asShop.put(path, { command: 'x', data: [1] }))
    this.#note('send no object', await this.#asShop.put(path, '[1]'))
    this.#note('admin path as device', await this.#asShop.get('/admin/api/messages'))
    this.#note('no such path', await this.#asShop.get('/producer/nothing'))
  }

  async admin(): Promise<void> {
    const { rest } = this.#broker
    const open = await this.#send({ command: 'open' })
    this.#note('cancel', await rest.post(`/admin/api/messages/${open}/cancel`, {}))
    this.#note('cancel again', await rest.post(`/admin/api/messages/${open}/cancel`, {}))
    await this.#acknowledge({ id: open, deliveryStatus: 'COMPLETED' })
    const polled = await this.#send({ command: 'close', data: { slowly: true } })
    await this.#poll()
    this.#note('cancel, polled', await rest.post(`/admin/api/messages/${polled}/cancel`, {}))
    this.#note('resend', await rest.post(`/admin/api/messages/${open}/resend`, {}))
    this.#note('message', await rest.get(`/admin/api/messages/${polled}`))
    this.#note('cancelled message', await rest.get(`/admin/api/messages/${open}`))
    this.#note('messages', await rest.get(`/admin/api/messages?deviseId=${this.#pump}&limit=3`))
    this.#note('devices', await rest.get(`/admin/api/devices?search=${this.#pump}`))
    this.#note('device', await rest.get(`/admin/api/devices/${this.#pump}`))
    this.#note('no client', await rest.get('/admin/api/clients/999999'))
    await this.#acknowledge({ id: polled, deliveryStatus: 'COMPLETED' })
    await this.#drain()
  }

  async templates(): Promise<void> {
    const { rest } = this.#broker
    const clients = (await rest.get('/admin/api/clients')).body as { id: number; deviseId: string }[]
    const clientId = clients.find(({ deviseId }) => deviseId === this.#pump)?.id
    const body = { clientId, command: 'rinse', description: 'every day', data: { litres: 3 } }
    const made = await rest.post('/admin/api/saved-messages', body)
    this.#note('create template', made)
    const { id } = made.body as { id: number }
    this.#note('template', await rest.get(`/admin/api/saved-messages/${id}`))
    this.#note('list template', await rest.get(`/admin/api/saved-messages?deviseId=${this.#pump}`))
    this.#note('send template', await rest.post(`/admin/api/saved-messages/${id}/send`, {}))
    await this.#drain()
    this.#note('delete template', await rest.delete(`/admin/api/saved-messages/${id}`))
  }

  async commandsOverMqtt(protocolVersion: 3 | 4 | 5): Promise<void> {
    this.lines.push(`MQTT level ${protocolVersion}`)
    const connect = (username: string): Promise<MqttPeer> =>
      MqttPeer.connect({ port: this.#broker.mqttPort, protocolVersion, username, password: PASSWORD })
    const [pump, shop] = [await connect(this.#pump), await connect(this.#shop)]
    await shop.subscribe(`producer/response/${this.#shop}`, `producer/error/${this.#shop}`)
    await pump.subscribe(`consumer/request/${this.#pump}`, `producer/error/${this.#pump}`)
    const messageBirthCertificate = { tmpId: 4, producerDeviseId: this.#shop }
    await shop.publish(`producer/request/${this.#pump}`, {
      command: 'start',
      data: { a: 1 },
      messageBirthCertificate,
    })
    await this.#hear('producer', shop)
    const { id } = JSON.parse(await this.#hear('device', pump)) as { id: number }
    for (const deliveryStatus of ['DELIVERED', 'COMPLETED']) {
      await pump.publish(`consumer/response/${this.#pump}`, { id, deliveryStatus })
      await this.#hear('producer', shop)
    }
    // With QoS 0, since version 5 reports a refusal of QoS 1 in PUBACK too, and the client then rejects.
    const late = { id, deliveryStatus: 'COMPLETED_WITH_ERROR', result: {} }
    await pump.publish(`consumer/response/${this.#pump}`, late, { qos: 0 })
    await this.#hear('device', pump)
    await shop.publish(`producer/request/${this.#pump}`, { data: {} }, { qos: 0 })
    await this.#hear('producer', shop)
    await Promise.all([pump.end(), shop.end()])
  }

  async #hear(who: string, peer: MqttPeer): Promise<string> {
    const { topic, text, packet } = await peer.next()
    this.#line(`${who} hears ${topic} qos ${packet.qos}`, text)
    return text
  }

  async #send(message: object): Promise<number> {
    const answer = await this.#asShop.put(`/producer/request/${this.#pump}`, message)
    this.#note('send', answer)
    return (answer.body as { id: number }).id
  }

  async #poll(): Promise<Answer> {
    const answer = await this.#asPump.get(`/consumer/getLastMessage/${this.#pump}`)
    this.#note('poll', answer)
    return answer
  }

  async #acknowledge(body: object): Promise<void> {
    this.#note('acknowledge', await this.#asPump.post(`/consumer/request/${this.#pump}`, body))
  }

  async #status(id: number): Promise<void> {
    this.#note('status', await this.#asShop.get(`/producer/getMessageStatus/${id}`))
  }

  /** Polls and acknowledges until the queue is empty. */
  async #drain(): Promise<void> {
    for (;;) {
      const { body } = await this.#poll()
      const [message] = body as { id: number; believerGuarantee: string }[]
      if (!message) return
      if (message.believerGuarantee !== 'NO')
        await this.#acknowledge({ id: message.id, deliveryStatus: 'COMPLETED' })
    }
  }

  #note(what: string, { status, text }: Answer): void {
    this.#line(`${what} ${status}`, text)
  }

  /** Adds a line. Only ids, dates, tokens and the name of the run differ between two runs. */
  #line(what: string, text: string): void {
    const kind = what.startsWith('create client')
      ? 'client'
      : what.includes('template ') && !what.startsWith('send')
        ? 'template'
        : 'message'
    const plain = text
      .replace(/"clientId":(\d+)/g, (_, id) => `"clientId":${this.#idOf('client', id)}`)
      .replace(/"id":(\d+)/g, (_, id) => `"id":${this.#idOf(kind, id)}`)
      .replace(/"messageId":(\d+)/g, (_, id) => `"messageId":${this.#idOf('message', id)}`)
      .replace(/\b(message) (\d+)/gi, (_, word, id) => `${word} ${this.#idOf('message', id)}`)
      .replace(/"(\w*Date|date|until|currentTimestamp)":\d{13}/g, '"$1":DATE')
      .replace(/"accessToken":"[^"]+"/, '"accessToken":TOKEN')
    this.lines.push(
      `${what} ${plain}`.replaceAll(this.#pump, 'PUMP').replaceAll(this.#shop, 'SHOP').trimEnd(),
    )
  }

  #idOf(kind: string, id: string): string {
    const known = this.#ids[kind]
    if (!known) throw new Error(`No ids of kind ${kind}.`)
    if (!known.includes(id)) known.push(id)
    return `#${known.indexOf(id) + 1}`
  }
}
