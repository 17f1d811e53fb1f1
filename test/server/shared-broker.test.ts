/** The broker in the endpoints of other prefixes: what they find, and its methods beside `enqueue`. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { MessageChange, NewCommand, SharedBroker } from '../../src/index.ts'
import type { Rest } from '../_support/rest.ts'
import { startShared } from '../_support/shared-broker.ts'

let rest: Rest
let names: unknown
let broker: SharedBroker
beforeAll(async () => {
  ;({ rest, names, broker } = await startShared())
})

const enqueue = (given: unknown) => broker.enqueue(given as NewCommand)
test('services of another prefix → broker and describe alone', () => {
  expect([...(names as string[])].sort()).toEqual(['broker', 'describe'])
  expect(Object.keys(broker).sort()).toEqual(['cancel', 'enqueue', 'message', 'onChange', 'replay', 'status'])
})

describe('other methods', () => {
  test('status and cancel: a pending message → CANCELLED, with the client that cancelled it', async () => {
    const { id } = await enqueue({ deviceId: 'c', command: 'c' })
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
    expect(await broker.cancel(id, { id: 'panel' })).toBe('CANCELLED')
    expect(await broker.status(id)).toBe('CANCELLED')
    expect(await broker.message(id)).toMatchObject({
      cause: 'CANCELLED',
      history: [{}, { status: 'CANCELLED', by: 'panel' }],
    })
  })

  test('cancel: a dispatched message → refused as over REST', async () => {
    const { id } = await enqueue({ deviceId: 'out', command: 'c' })
    await rest.get('/consumer/getLastMessage/out')
    await expect(broker.cancel(id)).rejects.toMatchObject({ code: 'handed-over', attempts: 1 })
    expect(await broker.cancel(id, { by: 'panel', force: true })).toBe('CANCELLED')
  })

  test('cancel: options that are not valid → bad-message', async () => {
    const { id } = await enqueue({ deviceId: 'options', command: 'c' })
    for (const options of [{ force: 'yes' }, { by: 7 }, { forced: true }]) {
      await expect(broker.cancel(id, options as object)).rejects.toMatchObject({ code: 'bad-message' })
    }
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })

  test('replay: a message that is not UNKNOWN → refused as over REST', async () => {
    const { id } = await enqueue({ deviceId: 'replay', command: 'c' })
    await expect(broker.replay(id, { by: 'panel' })).rejects.toMatchObject({ code: 'not-unknown' })
  })

  test('terms, a replaced message and a key → as over REST', async () => {
    const terms = { validSeconds: 60, maxAttempts: 2 }
    const first = await enqueue({ deviceId: 'terms', command: 'c', terms, idempotencyKey: 'k' })
    expect(await enqueue({ deviceId: 'terms', command: 'c', terms, idempotencyKey: 'k' })).toEqual(first)
    const second = await enqueue({ deviceId: 'terms', command: 'c', replaces: first.id })
    expect(await broker.message(first.id)).toMatchObject({ status: 'CANCELLED', cause: 'SUPERSEDED' })
    expect((await enqueue({ deviceId: 'terms', command: 'c', terms, idempotencyKey: 'k' })).status).toBe(
      'CANCELLED',
    )
    expect(await broker.status(second.id)).toBe('NOT_DELIVERED')
    await expect(
      enqueue({ deviceId: 'terms', command: 'c', guarantee: 'NO', terms: { finishSeconds: 5 } }),
    ).rejects.toMatchObject({ code: 'bad-terms' })
    for (const bad of [{ validSeconds: 0 }, { valid: 60 }]) {
      await expect(enqueue({ deviceId: 'terms', command: 'c', terms: bad })).rejects.toMatchObject({
        code: 'bad-message',
      })
    }
  })

  test('an unknown id → unknown-message, which an endpoint answers with 404', async () => {
    for (const call of [broker.status, broker.message, broker.cancel, broker.replay])
      await expect(call(1e9)).rejects.toMatchObject({ code: 'unknown-message' })
    expect(await rest.get('/message/1000000000')).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'There is no message 1000000000.' },
    })
  })

  test.each([undefined, null, '1', 1.5, 0, -1, Number.NaN, 1n, {}, 2 ** 53])(
    'the id %s → bad-message',
    async (id) => {
      for (const call of [broker.status, broker.message, broker.cancel, broker.replay]) {
        await expect(call(id as number)).rejects.toMatchObject({
          code: 'bad-message',
          message: expect.stringMatching(/^"id" is /),
        })
      }
    },
  )
})

describe('onChange', () => {
  test('a listener → called after each durable change, until it unsubscribes', async () => {
    const changes: MessageChange[] = []
    const statuses: unknown[] = []
    const unsubscribe = broker.onChange((change) => {
      changes.push(change)
      statuses.push(broker.status(change.id))
    })
    const { id } = await enqueue({
      deviceId: 'watched',
      command: 'c',
      replyTo: { producerId: 'shop', correlationId: 3 },
    })
    await rest.post('/consumer/request/watched', { id, deliveryStatus: 'COMPLETED' })
    const of = { id, deviceId: 'watched', producerId: 'shop', correlationId: 3 }
    expect(changes).toEqual([
      { ...of, status: 'NOT_DELIVERED', cause: 'STORED' },
      { ...of, status: 'COMPLETED', cause: 'ACKNOWLEDGED' },
    ])
    expect(await Promise.all(statuses)).toEqual(['NOT_DELIVERED', 'COMPLETED'])
    unsubscribe()
    unsubscribe()
    await enqueue({ deviceId: 'watched', command: 'c' })
    expect(changes).toHaveLength(2)
  })

  test('one listener subscribed twice → called twice; one end → the other stays', async () => {
    let calls = 0
    const listener = () => {
      calls++
    }
    const [first, second] = [broker.onChange(listener), broker.onChange(listener)]
    await enqueue({ deviceId: 'twice', command: 'c' })
    first()
    await enqueue({ deviceId: 'twice', command: 'c' })
    second()
    expect(calls).toBe(3)
  })

  test('a listener that throws or rejects → logged; the message is stored, other listeners are called', async () => {
    const { server, rest, broker } = await startShared(true)
    let calls = 0
    broker.onChange(() => {
      throw new Error('broken listener')
    })
    broker.onChange(async () => {
      throw new Error('broken promise')
    })
    broker.onChange(() => {
      calls++
    })
    const { id } = await broker.enqueue({ deviceId: 'd', command: 'c' })
    expect((await rest.put('/producer/request/d', { command: 'c' })).status).toBe(200)
    expect([calls, await broker.status(id)]).toEqual([2, 'NOT_DELIVERED'])
    const errors = server.log.filter(({ level }) => level === 'error')
    expect(errors.map(({ msg, err }) => [msg, (err as Error).message])).toEqual([
      ['a listener of broker.onChange failed', 'broken listener'],
      ['a listener of broker.onChange failed', 'broken promise'],
      ['a listener of broker.onChange failed', 'broken listener'],
      ['a listener of broker.onChange failed', 'broken promise'],
    ])
  })
})
