/** Tests what producers and devices send and receive, byte for byte. */
import { describe, expect, test } from 'vitest'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import { AcknowledgementPayload, acknowledgedId, toReport } from '../../src/wire/acknowledgement.ts'
import { idempotencyKeyOf } from '../../src/wire/idempotency.ts'
import {
  CancelPayload,
  checkCancel,
  ProducerMessage,
  payloadParser,
  toSubmission,
} from '../../src/wire/messages.ts'
import { deliveredMessage, resultMessage } from '../../src/wire/results.ts'

const bytes = (text: string) => Buffer.from(text)
const parseAck = payloadParser(AcknowledgementPayload)
const parseMessage = payloadParser(ProducerMessage)
const parseCancel = payloadParser(CancelPayload)
const reportOf = (text: string) => toReport(parseAck(bytes(text)))
const submission = (text: string, deviceId = 'pump') =>
  toSubmission(deviceId, parseMessage(bytes(text)), 'shop')

const DISPATCHED: DispatchedMessage = {
  ...{ id: 7, command: 'start', guarantee: 'RECEIPT_CONFIRMATION', data: '{"a":1.0}', atMs: 5 },
  ...{ number: 2, counted: 2, maxAttempts: null, remainingMs: 1_001, finishSeconds: null },
}

describe('acknowledgement', () => {
  test.each(['7', '1.0', '"a\\u00e9"', 'true', '[1, {"b" : 1e400}]', '{"a":9007199254740993}', '""'])(
    'result %s → kept byte for byte',
    (result) => {
      expect(reportOf(`{"id":1,"result": ${result} ,"x":[1]}`)).toEqual({
        ...{ ...NO_REPORT_TEXTS, result, resultDropped: false },
      })
    },
  )

  test.each([
    [16_384, false],
    [16_385, true],
  ])('result of %i bytes → dropped: %s', (length, dropped) => {
    const result = JSON.stringify('é'.repeat((length - (length % 2)) / 2 - 1) + 'a'.repeat(length % 2))
    expect(Buffer.byteLength(result)).toBe(length)
    expect(reportOf(`{"id":1,"result":${result}}`)).toEqual({
      ...{ ...NO_REPORT_TEXTS, result: dropped ? null : result, resultDropped: dropped },
    })
  })

  test.each([
    ['{"id":1}', null],
    ['{"id":1,"result":null,"reason":null}', null],
    ['{"id":1,"reason":7}', null],
    ['{"id":1,"reason":["hot"]}', null],
    ['{"id":1,"reason":"hot"}', 'hot'],
    ['{"id":1,"reason":""}', ''],
    [`{"id":1,"reason":"${'😀'.repeat(501)}"}`, '😀'.repeat(500)],
    ['{"id":1,"reason":"\\ud800"}', '\ufffd'],
  ])('%.40s → its reason is a text of at most 500 characters, or none', (text, reason) => {
    expect(reportOf(text)?.reason ?? null).toBe(reason)
  })

  test('neither id nor busySeconds → 400, as before', () => {
    const missing = 'Parameter "id" is missing: expected an integer of 1 to 9007199254740991.'
    for (const text of ['{}', '{"deliveryStatus":"DELIVERED","busySeconds":5}', '{"busySeconds":null}']) {
      expect(() => acknowledgedId(parseAck(bytes(text)))).toThrow(missing)
    }
  })

  test.each([
    ['{"busySeconds":0}', null],
    ['{"busySeconds":86400}', null],
    ['{"id":3,"busySeconds":5}', 3],
  ])('%s → message %s', (text, id) => {
    expect(acknowledgedId(parseAck(bytes(text)))).toBe(id)
  })

  test.each(['-1', '86401', '1.5', '"5"', 'true'])('busySeconds %s → 400', (seconds) => {
    expect(() => acknowledgedId(parseAck(bytes(`{"busySeconds":${seconds}}`)))).toThrow(
      'Parameter "busySeconds"',
    )
  })
})

describe('submission', () => {
  test('no new field → no terms, no key, no details', () => {
    expect(submission('{"command":"start"}')).toMatchObject({
      ...{ deviceId: 'pump', command: 'start', guarantee: 'RECEIPT_CONFIRMATION', data: '{}' },
      ...{ replyTo: null, details: false, terms: null, replaces: null, idempotency: null },
      senderId: 'shop',
    })
  })

  test('all new fields → terms, details and the message that it replaces', () => {
    const text = `{"command":"start","validSeconds":60,"finishSeconds":31536000,"delaySeconds":1,"maxAttempts":100,
      "replaces":4,"idempotencyKey":"k","messageBirthCertificate":{"tmpId":1,"details":true}}`
    expect(submission(text)).toMatchObject({
      terms: { validSeconds: 60, finishSeconds: 31_536_000, delaySeconds: 1, maxAttempts: 100 },
      ...{ replaces: 4, details: true, replyTo: { producerId: null, correlationId: 1 } },
      idempotency: { key: 'k', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  test.each([
    ['validSeconds', ['0', '31536001', '1.5', '"60"']],
    ['finishSeconds', ['0', '31536001']],
    ['delaySeconds', ['0', '31536001']],
    ['maxAttempts', ['0', '101']],
    ['replaces', ['0', '"1"']],
    ['idempotencyKey', ['""', `"${'k'.repeat(65)}"`, '"a b"', '"é"', '7']],
  ])('%s out of range → 400', (name, values) => {
    for (const value of values) {
      expect(() => submission(`{"command":"c","${name}":${value}}`)).toThrow(`Parameter "${name}"`)
    }
    expect(() => submission(`{"command":"c","${name}":null}`)).not.toThrow()
  })

  test('same key: one more space, another member order → one fingerprint; other content → another one', () => {
    const print = (text: string, deviceId?: string) => submission(text, deviceId).idempotency?.fingerprint
    const first = print('{"command":"c","data":{"a":1},"idempotencyKey":"k"}')
    expect(print('{"idempotencyKey":"k","data":{"a":1}, "command":"c"}')).toBe(first)
    const others = [
      '{"command":"d","data":{"a":1},"idempotencyKey":"k"}',
      '{"command":"c","data":{"a":1.0},"idempotencyKey":"k"}',
      '{"command":"c","data":{"a":1},"idempotencyKey":"k","validSeconds":5}',
      '{"command":"c","data":{"a":1},"idempotencyKey":"k","replaces":5}',
      '{"command":"c","data":{"a":1},"idempotencyKey":"k","believerGuarantee":"NO"}',
      '{"command":"c","data":{"a":1},"idempotencyKey":"k","messageBirthCertificate":{"tmpId":1}}',
    ]
    const prints = new Set([first, print('{"command":"c","data":{"a":1},"idempotencyKey":"k"}', 'lamp')])
    for (const other of others) prints.add(print(other))
    expect(prints.size).toBe(others.length + 2)
  })
})

describe('header Idempotency-Key', () => {
  test.each([
    [undefined, undefined, null],
    [undefined, 'k', 'k'],
    ['k', undefined, 'k'],
    ['"k"', null, 'k'],
    ['"a\\"b"', undefined, 'a"b'],
    ['k', 'k', 'k'],
  ])('%s and field %s → %s', (header, field, key) => {
    expect(idempotencyKeyOf(header, field)).toBe(key)
  })

  test.each([
    ['', undefined],
    ['""', undefined],
    ['a b', undefined],
    ['k'.repeat(65), undefined],
    ['k', 'other'],
  ])('%s and field %s → 400', (header, field) => {
    expect(() => idempotencyKeyOf(header, field)).toThrow('Idempotency-Key')
  })
})

test('cancellation: id together with command → 400; either alone, or none → accepted', () => {
  for (const text of ['{}', '{"id":1,"force":true}', '{"command":"c","id":null}']) {
    expect(() => checkCancel(parseCancel(bytes(text)))).not.toThrow()
  }
  expect(() => checkCancel(parseCancel(bytes('{"id":1,"command":"c"}')))).toThrow('exclude each other')
  expect(() => parseCancel(bytes('{"force":"yes"}'))).toThrow('Parameter "force"')
})

describe('answers', () => {
  test('delivered message → five members; with details three more', () => {
    const plain =
      '{"id":7,"currentTimestamp":5,"command":"start","believerGuarantee":"RECEIPT_CONFIRMATION","data":{"a":1.0}'
    expect(deliveredMessage(DISPATCHED)).toBe(`${plain}}`)
    expect(deliveredMessage(DISPATCHED, true)).toBe(
      `${plain},"attempt":2,"remainingSeconds":2,"finishSeconds":null}`,
    )
  })

  test('result → three members; with details eight, the result byte for byte', () => {
    const result = { id: 7, tmpId: 3, deliveryStatus: 'COMPLETED' } as const
    expect(resultMessage(result)).toBe('{"id":7,"tmpId":3,"deliveryStatus":"COMPLETED"}')
    const details = { cause: 'ACKNOWLEDGED', reason: 'a"b', result: '[1.0]', attempts: 2, date: 9 } as const
    expect(resultMessage({ ...result, details })).toBe(
      '{"id":7,"tmpId":3,"deliveryStatus":"COMPLETED","cause":"ACKNOWLEDGED","reason":"a\\"b","result":[1.0],"attempts":2,"date":9}',
    )
  })
})
