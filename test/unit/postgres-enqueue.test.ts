/** The calls of the function `enqueue` of PostgreSQL: which calls share a batch, and the errors of refused ones. */
import { describe, expect, test } from 'vitest'
import { HandedOver, QueueFull } from '../../src/broker/vocabulary/errors.ts'
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'
import { enqueueCall, enqueueKeys, refusal } from '../../src/store/postgres/messages/enqueue-answers.ts'
import { message } from '../_support/message.ts'

const LIMITS = { messages: 2, bytes: 20 }
const KEY = { scope: 'shop', key: 'k', fingerprint: 'f' }

const keysOf = (parts: Partial<NewMessage>) => enqueueKeys(enqueueCall(message(parts), LIMITS, null))

describe('enqueue: batches', () => {
  test('enqueue: plain messages of a device → they share a batch', () => {
    expect(keysOf({ deviceId: 'pump' })).toEqual({ alone: [], shared: ['device pump'] })
    expect(keysOf({ deviceId: 'pump', guarantee: 'NO' })).toEqual(keysOf({ deviceId: 'pump' }))
  })

  test.each([
    ['ONLY_LAST', { guarantee: 'ONLY_LAST' }, []],
    ['`replaces`', { replaces: 7 }, []],
    ['an idempotency key', { idempotency: KEY }, ['key shop k']],
  ] as const)('enqueue: %s → the only call for its device', (_, parts, keys) => {
    expect(keysOf({ deviceId: 'pump', ...parts })).toEqual({ alone: ['device pump', ...keys], shared: [] })
  })

  test('enqueue: a text with NUL and letters outside ASCII → the bytes of the text as it came', () => {
    const { bytes, command } = enqueueCall(message({ command: 'a\0', data: '"ß"' }), LIMITS, null)
    expect(bytes).toBe(2 + 4)
    expect(command).not.toContain('\0')
  })
})

describe('enqueue: refusals', () => {
  const refused = message({ deviceId: 'pump', replaces: 7, idempotency: KEY })

  test('enqueue: queue-full → the state of the queue and its limits', () => {
    const error = refusal({ error: 'queue-full', waiting: 2, bytes: 12 }, refused, 10, LIMITS)
    expect(error).toBeInstanceOf(QueueFull)
    expect(error).toMatchObject({ queue: { waiting: 2, limit: 2, bytes: 12, limitBytes: 20 } })
  })

  test('enqueue: handed-over → the status and the attempts', () => {
    const error = refusal({ error: 'handed-over', status: 5, attempts: 3 }, refused, 10, LIMITS)
    expect(error).toBeInstanceOf(HandedOver)
    expect(error).toMatchObject({ status: 'UNKNOWN', attempts: 3 })
  })

  test.each(['key-reused', 'unknown-message'] as const)('enqueue: %s → its code', (code) => {
    expect(refusal({ error: code }, refused, 10, LIMITS)).toMatchObject({ code })
  })
})
