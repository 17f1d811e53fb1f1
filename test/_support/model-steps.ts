/** Makes each step of a producer, a device or an admin on the server and on the model. Both must agree. */
import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import type { Step, StepValues } from './model-choices.ts'
import type { ModelMessage, ModelTerms, QueueModel, SentMessage } from './queue-model.ts'
import type { Answer, Rest } from './rest.ts'

const TEXTS = {
  expired: expect.stringContaining('validity'),
  'not-unknown': expect.stringContaining('UNKNOWN'),
}

/** Device on the server, with its model. */
export class ModelledDevice {
  readonly #id: string
  readonly #queue: QueueModel
  readonly #ids: Set<number>
  #rest!: Rest

  /** @param ids all ids that were assigned */
  constructor(id: string, queue: QueueModel, ids: Set<number>) {
    this.#id = id
    this.#queue = queue
    this.#ids = ids
  }

  connect(rest: Rest): void {
    this.#rest = rest
  }

  async lookAtAll(): Promise<void> {
    for (const message of this.#queue.messages) await this.#look(message)
  }

  /** Processes the deadlines of the model, and waits until the server has processed the same ones. */
  async expire(): Promise<void> {
    for (const message of this.#queue.expire()) await eventually(() => this.#look(message))
  }

  async perform([name, values]: Step): Promise<void> {
    const { messages } = this.#queue
    const at = 'which' in values ? messages.at(-1 - values.which) : messages.at(-1)
    // Narrowing a tuple of a union by its first member needs the member itself.
    const is = <Name extends Step[0]>(wanted: Name, _: unknown): _ is StepValues[Name] => name === wanted
    if (is('send', values)) await this.#send(values.command, values.guarantee, values.terms)
    else if (is('send with a key', values)) await this.#sendWithKey(values)
    else if (is('burst', values)) await this.#burst(values.count)
    else if (is('poll', values)) await this.#poll(values.count)
    else if (is('cancel all', values)) await this.#cancelAll(values.command, values.force)
    else if (is('busy', values)) await this.#busy(values.seconds)
    else if (is('let expire', values)) await this.#letExpire(values.command)
    else if (is('leave unfinished', values)) await this.#leaveUnfinished(values.command)
    else if (at === undefined) await this.#unknown()
    else if (is('replace', values)) await this.#replace(at, values.command)
    else if (is('cancel', values)) await this.#cancel(at, values.force)
    else if (is('acknowledge', values)) await this.#acknowledge(at, values.status, values.report)
    else if (is('acknowledge wrongly', values))
      expect(await this.#report(at.sent.id, { deliveryStatus: values.status })).toMatchObject({ status: 400 })
    else if (is('acknowledge for another device', values))
      expect(
        await this.#report(at.sent.id, { deliveryStatus: 'COMPLETED' }, `not ${this.#id}`),
      ).toMatchObject({ status: 404 })
    else if (is('replay', values)) await this.#replay(at)
    else await this.#look(at)
  }

  #path(of: string, deviceId = this.#id): string {
    return `/${of}/${encodeURIComponent(deviceId)}`
  }

  #submit(body: object): Promise<Answer> {
    return this.#rest.put(this.#path('producer/request'), body)
  }

  #report(id: number, body: object, by = this.#id): Promise<Answer> {
    return this.#rest.post(this.#path('consumer/request', by), { id, ...body })
  }

  /** Checks the answer to a submit that stored a message. */
  #stored(
    answer: Answer,
    body: Omit<SentMessage, 'id' | 'believerGuarantee'>,
    guarantee?: string,
  ): SentMessage {
    const { id } = answer.body as { id: number }
    expect(answer).toMatchObject({ status: 200, body: { id, tmpId: null, deliveryStatus: 'NOT_DELIVERED' } })
    expect(this.#ids.has(id)).toBe(false)
    expect(id).toBeGreaterThan(this.#queue.messages.at(-1)?.sent.id ?? 0)
    this.#ids.add(id)
    return { id, ...body, believerGuarantee: guarantee ?? 'RECEIPT_CONFIRMATION' }
  }

  async #send(
    command: string,
    guarantee: string | undefined,
    terms: ModelTerms = {},
    replaced: ModelMessage | null = null,
  ): Promise<ModelMessage | null> {
    const body = { command, data: { mark: Math.random() } }
    const more = {
      ...(guarantee && { believerGuarantee: guarantee }),
      ...(replaced && { replaces: replaced.sent.id }),
    }
    const answer = await this.#submit({ ...body, ...more, ...terms })
    if (guarantee === 'NO' && terms.finishSeconds !== undefined) {
      expect(answer).toMatchObject({ status: 400 })
      return null
    }
    return this.#queue.send(this.#stored(answer, body, guarantee), terms, replaced)
  }

  async #replace(replaced: ModelMessage, command: string): Promise<void> {
    if (this.#queue.mayReplace(replaced)) return void (await this.#send(command, undefined, {}, replaced))
    const answer = await this.#submit({ command, replaces: replaced.sent.id })
    expect(answer).toMatchObject({ status: 409 })
  }

  async #sendWithKey({ command, key, only }: StepValues['send with a key']): Promise<void> {
    const guarantee = only ? 'ONLY_LAST' : 'RECEIPT_CONFIRMATION'
    const body = {
      command,
      data: {},
      believerGuarantee: guarantee,
      idempotencyKey: `${key}-${Buffer.from(this.#id).toString('hex')}`,
    }
    const content = JSON.stringify(body)
    const answer = await this.#submit(body)
    const earlier = this.#queue.keys.get(key)
    if (earlier === undefined) {
      const sent = this.#stored(answer, { command, data: {} }, guarantee)
      this.#queue.keys.set(key, { content, message: this.#queue.send(sent, {}, null) })
    } else if (earlier.content === content) {
      const { message } = earlier
      message.repeats++
      const { sent, status } = message
      expect(answer).toMatchObject({
        status: 200,
        body: { id: sent.id, tmpId: null, deliveryStatus: status },
      })
      expect(answer.headers.get('idempotency-replayed')).toBe('true')
    } else expect(answer).toMatchObject({ status: 422 })
  }

  async #burst(count: number): Promise<void> {
    const body = { command: 'start', data: { mark: Math.random() } }
    const answers = await Promise.all(Array.from({ length: count }, () => this.#submit(body)))
    const idOf = ({ body }: Answer): number => (body as { id: number }).id
    for (const answer of answers.toSorted((a, b) => idOf(a) - idOf(b)))
      this.#queue.send(this.#stored(answer, body), {}, null)
  }

  /** Polls concurrently. The polls return, in any order, what sequential polls would return. */
  async #poll(count: number): Promise<void> {
    const poll = async (): Promise<SentMessage[]> =>
      (await this.#rest.get(this.#path('consumer/getLastMessage'))).body as SentMessage[]
    const given = (await Promise.all(Array.from({ length: count }, poll))).flat()
    const expected = Array.from({ length: count }, () => this.#queue.poll()).flat()
    expect(given.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
    for (const { id, command, believerGuarantee, data } of given) {
      const message = this.#queue.messages.find(({ sent }) => sent.id === id)
      expect({ id, command, believerGuarantee, data }).toEqual(message?.sent)
    }
  }

  async #acknowledge(message: ModelMessage, status: string | undefined, report: object): Promise<void> {
    const expected = this.#queue.acknowledge(message, status ?? 'DELIVERED', report)
    const answer = await this.#report(message.sent.id, {
      ...(status && { deliveryStatus: status }),
      ...report,
    })
    expect(answer).toMatchObject({ status: expected.code, body: { deliveryStatus: expected.status } })
    if (message.status === 'DELIVERED' && message.terms.finishSeconds === 1) await this.#end(message)
  }

  async #cancel(message: ModelMessage, force: boolean): Promise<void> {
    const isCancelled = this.#queue.cancel(message, force)
    const answer = await this.#rest.post(`/producer/cancelMessage/${message.sent.id}`, { force })
    const { status: deliveryStatus, attempts, isShownAsHandedOver } = message
    if (isCancelled) {
      expect(answer).toMatchObject({ status: 200, body: { deliveryStatus, handedOver: attempts > 0 } })
    } else {
      const body = force && !isShownAsHandedOver ? { deliveryStatus, attempts } : { deliveryStatus }
      expect(answer).toMatchObject({ status: 409, body })
    }
  }

  async #cancelAll(command: string | undefined, force: boolean): Promise<void> {
    const answer = await this.#rest.post(this.#path('producer/cancelMessages'), { command, force })
    expect(answer).toMatchObject({ status: 200, body: this.#queue.cancelAll(command, force) })
  }

  async #replay(message: ModelMessage): Promise<void> {
    const code = this.#queue.replay(message)
    const answer = await this.#rest.post(`/producer/replayMessage/${message.sent.id}`, {})
    const body = code === null ? { deliveryStatus: 'NOT_DELIVERED' } : { message: TEXTS[code] }
    expect(answer).toMatchObject({ status: code === null ? 200 : 409, body })
  }

  async #busy(seconds: number): Promise<void> {
    this.#queue.setBusy(seconds)
    const answer = await this.#rest.post(this.#path('consumer/request'), { busySeconds: seconds })
    const busyUntilDate = seconds === 0 ? null : expect.any(Number)
    expect(answer).toMatchObject({ status: 200, body: { busyUntilDate } })
    await this.expire()
  }

  /** Sends a message that is valid for a second, and waits until it has expired. */
  async #letExpire(command: string): Promise<void> {
    const message = await this.#send(command, undefined, { validSeconds: 1 })
    if (message) await this.#end(message, 'expired')
  }

  /** Sends a message that its device confirms and never finishes, and waits until its time is over. */
  async #leaveUnfinished(command: string): Promise<void> {
    const message = await this.#send(command, undefined, { finishSeconds: 1 })
    if (message) await this.#acknowledge(message, 'DELIVERED', {})
  }

  /** Waits until the server has ended a message by a deadline of a second. */
  async #end(message: ModelMessage, how: 'expired' | 'unfinished' = 'unfinished'): Promise<void> {
    await this.#rest.get(`/producer/getMessageStatus/${message.sent.id}?wait=20`)
    if (how === 'expired') message.become('CANCELLED', 'EXPIRED')
    else message.become('UNKNOWN', 'NOT_FINISHED')
    await this.#look(message)
  }

  async #unknown(): Promise<void> {
    const id = 2 ** 40
    expect(await this.#report(id, { deliveryStatus: 'COMPLETED' })).toMatchObject({ status: 404 })
    expect(await this.#rest.get(`/producer/getMessageStatus/${id}`)).toMatchObject({ status: 404 })
    for (const call of ['cancelMessage', 'replayMessage'])
      expect(await this.#rest.post(`/producer/${call}/${id}`, {})).toMatchObject({ status: 404 })
    expect(await this.#submit({ command: 'start', replaces: id })).toMatchObject({ status: 404 })
  }

  /** Compares everything that the server shows of a message with the model. */
  async #look(message: ModelMessage): Promise<void> {
    const { id } = message.sent
    const plain = await this.#rest.get(`/producer/getMessageStatus/${id}`)
    expect(plain.body).toEqual({ deliveryStatus: message.status })
    const { body } = await this.#rest.get(`/producer/getMessageStatus/${id}?details=true`)
    if (message.isUncertain) message.adopt((body as { attempts: number }).attempts)
    const { status: deliveryStatus, cause, reason, result, lateStatus, repeats, attempts } = message
    const { deliveredError } = message
    const shown = message.isShownAsHandedOver ? {} : { cause, attempts }
    expect(body).toMatchObject({ deliveryStatus, reason, result, ...shown })
    const admin = await this.#rest.get(`/admin/api/messages/${id}?details=true`)
    expect(admin.body).toMatchObject({ deliveryStatus, lateStatus, repeats, reason, result, deliveredError })
  }
}
