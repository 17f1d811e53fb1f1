/** Polls that wait, over a dispatch that the test plays. */
import { beforeEach, expect, test, vi } from 'vitest'
import { PollWaits, type WaitedMessage } from '../../src/broker/engine/poll-waits.ts'
import { WaitLimit } from '../../src/broker/engine/waits.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import { whenDone } from '../_support/cleanup.ts'
import { HELD, hold } from '../_support/held.ts'

let limit: WaitLimit
let presence: Presence
let waits: PollWaits
/** Calls of the dispatch, as text. */
let calls: string[]
/** Step that the dispatch takes when a device connects. */
let onAttach: (deviceId: string) => void
/** Resolves when the dispatch has decided. */
let decided: Promise<void>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  whenDone(() => vi.useRealTimers())
  limit = new WaitLimit(3)
  presence = new Presence()
  calls = []
  onAttach = () => {}
  decided = Promise.resolve()
  const connections = {
    attach(deviceId: string, transport: string) {
      calls.push(`attach ${deviceId} ${transport}`)
      onAttach(deviceId)
    },
    detach: (deviceId: string, transport: string) => void calls.push(`detach ${deviceId} ${transport}`),
    decided: () => decided,
  }
  waits = new PollWaits({ connections, presence, limit })
})

const message = (id: number, guarantee = 'RECEIPT_CONFIRMATION') => ({ id, guarantee }) as DispatchedMessage
/** Returns the signal of a peer that stays. */
const staying = (): AbortSignal => new AbortController().signal

/** Starts a poll that waits. `now` is `waits` or the id of its message; null for none. */
function wait(waitMs = 25_000, signal = staying(), deviceId = 'pump') {
  const answer = waits.wait(deviceId, waitMs, signal, hold)
  let now: WaitedMessage | null = null
  void answer.then((each) => {
    now = each
  })
  return { answer, now: () => (now === null ? 'waits' : (now.message?.id ?? null)) }
}

async function turnOfPromises(): Promise<void> {
  for (let n = 0; n < 20; n++) await null
}

test('wait: a message is dispatched → it is the answer, and the device is away again', async () => {
  const { answer, now } = wait()
  await turnOfPromises()
  expect([now(), presence.of('pump').transport, limit.count]).toEqual(['waits', 'REST', 1])
  expect(waits.dispatch('pump', message(7))).toBe(true)
  expect(await answer).toMatchObject({ message: { id: 7 }, onSent: null, isLimited: false })
  expect([presence.of('pump').transport, limit.count]).toEqual([null, 0])
  expect(calls).toEqual(['attach pump REST', 'detach pump REST'])
})

test('wait: a message is dispatched as the poll begins → answered at once, without a place', async () => {
  for (let n = 0; n < 3; n++) limit.take(HELD, 60_000, () => {})
  onAttach = (deviceId) => void waits.dispatch(deviceId, message(7))
  expect(await wait().answer).toMatchObject({ message: { id: 7 }, isLimited: false })
  expect(calls).toEqual(['attach pump REST', 'detach pump REST'])
})

test('wait: no message → no answer before its time, then none', async () => {
  const { answer, now } = wait()
  await turnOfPromises()
  vi.advanceTimersByTime(24_999)
  await turnOfPromises()
  expect(now()).toBe('waits')
  vi.advanceTimersByTime(1)
  expect(await answer).toEqual({ message: null, onSent: null, isLimited: false, hasEnded: false })
  expect(calls).toEqual(['attach pump REST', 'detach pump REST'])
})

test('wait: its time is over while the dispatch claims a message → the message is the answer', async () => {
  const { answer, now } = wait()
  await turnOfPromises()
  let decide = (): void => {}
  decided = new Promise((resolve) => {
    decide = resolve
  })
  vi.advanceTimersByTime(25_000)
  await turnOfPromises()
  expect(now()).toBe('waits')
  void waits.dispatch('pump', message(7, 'NO'))
  decide()
  expect((await answer).message?.id).toBe(7)
})

test('wait of 0 → answered when the dispatch has decided; the device is seen, and not present', async () => {
  for (let n = 0; n < 3; n++) limit.take(HELD, 60_000, () => {})
  const changes: boolean[] = []
  presence.onChange(({ connected }) => changes.push(connected))
  expect(await wait(0).answer).toEqual({ message: null, onSent: null, isLimited: false, hasEnded: false })
  expect(changes).toEqual([])
  expect(presence.of('pump').atMs).not.toBeNull()
})

test('wait: no place is free → no message at once, limited', async () => {
  for (let n = 0; n < 3; n++) limit.take(HELD, 60_000, () => {})
  expect(await wait().answer).toEqual({ message: null, onSent: null, isLimited: true, hasEnded: false })
  expect(calls).toEqual(['attach pump REST', 'detach pump REST'])
})

test('several waits of one device: one message → all of them get it, over one connection', async () => {
  const open = [wait(), wait(), wait(25_000, staying(), 'valve')]
  await turnOfPromises()
  void waits.dispatch('pump', message(7))
  await turnOfPromises()
  expect(open.map(({ now }) => now())).toEqual([7, 7, 'waits'])
  expect(calls).toEqual(['attach pump REST', 'attach valve REST', 'detach pump REST'])
})

test('several waits of one device: NO messages → each goes to the first one alone', async () => {
  const open = [wait(), wait()]
  await turnOfPromises()
  void waits.dispatch('pump', message(7, 'NO'))
  await turnOfPromises()
  expect(open.map(({ now }) => now())).toEqual([7, 'waits'])
  expect(presence.of('pump').transport).toBe('REST')
  void waits.dispatch('pump', message(8, 'NO'))
  await turnOfPromises()
  expect(open.map(({ now }) => now())).toEqual([7, 8])
  expect(waits.dispatch('pump', message(9, 'NO'))).toBe(false)
})

test.each([true, false])('a NO message: the answer was sent = %s → so says the dispatch', async (sent) => {
  const { answer } = wait()
  await turnOfPromises()
  const taken = waits.dispatch('pump', message(7, 'NO'))
  const { onSent } = await answer
  onSent?.(sent)
  expect(await taken).toBe(sent)
})

test('wait: the peer leaves → the device is away at once, and a message finds no poll', async () => {
  const peer = new AbortController()
  const { answer } = wait(25_000, peer.signal)
  await turnOfPromises()
  peer.abort()
  expect(calls).toEqual(['attach pump REST', 'detach pump REST'])
  expect(waits.dispatch('pump', message(7, 'NO'))).toBe(false)
  expect((await answer).message).toBeNull()
  expect([presence.of('pump').transport, limit.count]).toEqual([null, 0])
})

test('wait: the peer left before → no connection', async () => {
  expect((await wait(25_000, AbortSignal.abort()).answer).message).toBeNull()
  expect(calls).toEqual([])
})

test('wait: another node dispatches to the device → no message', async () => {
  const { answer } = wait()
  await turnOfPromises()
  waits.disconnect('pump')
  expect((await answer).message).toBeNull()
})

test('waits: a stop → all are answered at once, later ones as soon as they begin', async () => {
  const open = [wait(), wait(25_000, staying(), 'valve')]
  await turnOfPromises()
  limit.close()
  await turnOfPromises()
  expect(open.map(({ now }) => now())).toEqual([null, null])
  expect(await wait().answer).toEqual({ message: null, onSent: null, isLimited: false, hasEnded: false })
})
