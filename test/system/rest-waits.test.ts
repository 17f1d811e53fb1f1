/** Requests that wait, in a process of its own: a stop, and the whole time that a request may wait. */
import { expect, test, vi } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { openRequests } from '../_support/open-requests.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

test.each(ADAPTERS)(
  '%s: SIGTERM with 500 waits → all are answered, and the process ends',
  async (adapter) => {
    const broker = await BrokerUnderTest.spawn({ adapter })
    const id = await broker.send('valve', { command: 'open' })
    const polls = Array.from({ length: 300 }, (_, n) => `/consumer/getLastMessage/pump-${n % 50}?wait=60`)
    const statuses = Array<string>(200).fill(`/producer/getMessageStatus/${id}?wait=60`)
    const waits = await openRequests(broker, [...polls, ...statuses])
    const stopped = broker.server.kill('SIGTERM')
    const answers = await Promise.all(waits.map((wait) => wait.answer()))
    expect(answers.map(({ status, whole, text }) => `${status} ${whole} ${text()}`)).toEqual([
      ...Array(300).fill('200 true []'),
      ...Array(200).fill('200 true {"deliveryStatus":"NOT_DELIVERED"}'),
    ])
    expect(await stopped).toMatchObject({ code: 0, signal: null })
  },
)

test.each(ADAPTERS)('%s: 1,000 requests wait → the next one is answered at once', async (adapter) => {
  const broker = await BrokerUnderTest.spawn({ adapter })
  const polls = Array.from({ length: 1_000 }, (_, n) => `/consumer/getLastMessage/pump-${n}?wait=60`)
  const waits = await openRequests(broker, polls)
  const { text, headers } = await broker.rest.get('/consumer/getLastMessage/lamp?wait=60')
  expect([text, headers.get('retry-after')]).toEqual(['[]', '1'])
  const id = await broker.send('pump-999', { command: 'start' })
  expect((await waits[999]?.answer())?.json()).toMatchObject([{ id }])
  await broker.server.kill()
})

test('60 seconds without a command → the connection is held, and the answer comes then, over each adapter', async () => {
  const held = ADAPTERS.map(async (adapter) => {
    const broker = await BrokerUnderTest.spawn({ adapter })
    const id = await broker.send('valve', { command: 'open' })
    const startMs = performance.now()
    const waits = await openRequests(broker, [
      '/consumer/getLastMessage/pump?wait=60',
      '/consumer/getLastMessage/lamp?wait=3600',
      `/producer/getMessageStatus/${id}?wait=60`,
    ])
    const answers = await Promise.all(waits.map(async (wait) => (await wait.answer()).text()))
    const heldMs = performance.now() - startMs
    await broker.server.kill()
    return { answers, heldMs }
  })
  for (const { answers, heldMs } of await Promise.all(held)) {
    expect(answers).toEqual(['[]', '[]', '{"deliveryStatus":"NOT_DELIVERED"}'])
    expect(heldMs).toBeGreaterThan(59_900)
  }
})
