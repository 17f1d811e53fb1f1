/** The client's submits: their body, and their repeats after a lost connection. */
import { describe, expect, test } from 'vitest'
import { ConnectionError, RequestError } from '../../src/client/index.ts'
import { newKey, repeated, submitBody } from '../../src/client/submit.ts'

const LOST = new ConnectionError('http://x', { cause: { code: 'ECONNRESET' } })
const REFUSED = new ConnectionError('http://x', { cause: { code: 'ECONNREFUSED' } })
const NO_PAUSES = [0, 0, 0]

/** Runs a submit whose attempts fail with these errors, and then succeed. */
async function submitWith(errors: readonly Error[]): Promise<{ attempts: number; end: unknown }> {
  let attempts = 0
  const end = await repeated(async () => {
    const error = errors[attempts++]
    if (error) throw error
    return 'stored'
  }, NO_PAUSES).catch((error: unknown) => error)
  return { attempts, end }
}

describe('submit', () => {
  test('no connection is lost → one attempt', async () => {
    expect(await submitWith([])).toEqual({ attempts: 1, end: 'stored' })
  })

  test('the connection is lost, then the server restarts → repeated up to three times', async () => {
    expect(await submitWith([LOST, REFUSED, LOST])).toEqual({ attempts: 4, end: 'stored' })
    expect(await submitWith([LOST, LOST, LOST, REFUSED, LOST])).toEqual({ attempts: 4, end: REFUSED })
  })

  test('the first attempt reaches no server, or the server refuses it → not repeated', async () => {
    expect(await submitWith([REFUSED])).toEqual({ attempts: 1, end: REFUSED })
    const full = new RequestError(429, null)
    expect(await submitWith([full])).toEqual({ attempts: 1, end: full })
    expect(await submitWith([LOST, full])).toEqual({ attempts: 2, end: full })
  })
})

describe('body of a submit', () => {
  test('no option → the command alone', () => {
    expect(submitBody('start', undefined, {})).toBe('{"command":"start"}')
  })

  test('every option → under its name on the wire, the data byte for byte', () => {
    const text = submitBody('start', '{"big":12345678901234567890, "one":1.0}', {
      guarantee: 'ONLY_LAST',
      replyTo: { producerId: 'shop', correlationId: 7 },
      details: true,
      ...{ validSeconds: 60, finishSeconds: 600, delaySeconds: 10, maxAttempts: 3, replaces: 41 },
      idempotencyKey: 'order-17',
    })
    expect(JSON.parse(text)).toMatchObject({
      command: 'start',
      believerGuarantee: 'ONLY_LAST',
      messageBirthCertificate: { tmpId: 7, producerDeviseId: 'shop', details: true },
      ...{ validSeconds: 60, finishSeconds: 600, delaySeconds: 10, maxAttempts: 3, replaces: 41 },
      idempotencyKey: 'order-17',
    })
    expect(text.endsWith(',"data":{"big":12345678901234567890, "one":1.0}}')).toBe(true)
  })

  test('the key is null → no key; a key that no server accepts → RangeError', () => {
    expect(submitBody('start', {}, { idempotencyKey: null })).toBe('{"command":"start","data":{}}')
    for (const idempotencyKey of ['', 'a b', 'ключ', 'x'.repeat(65)]) {
      expect(() => submitBody('start', {}, { idempotencyKey })).toThrow(RangeError)
    }
  })

  test('the keys of two submits → differ', () => {
    expect(newKey()).toMatch(/^[0-9a-f]{32}$/)
    expect(newKey()).not.toBe(newKey())
  })
})
