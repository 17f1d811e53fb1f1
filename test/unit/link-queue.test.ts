/** The queue of messages to another node, over a connection that the test reads. */
import { expect, test } from 'vitest'
import { LINK_LIMITS, LinkQueue } from '../../src/mqtt/link-queue.ts'
import { NodeTraffic } from '../../src/transport/node-traffic.ts'

function open(traffic: NodeTraffic) {
  const written: string[] = []
  let read: (isOpen: boolean) => void = () => {}
  const connection = {
    send: (bytes: Uint8Array) => void written.push(Buffer.from(bytes).toString()),
    sent: () =>
      new Promise<boolean>((resolve) => {
        read = resolve
      }),
  }
  return { queue: new LinkQueue(connection, traffic), written, read: (isOpen = true) => read(isOpen) }
}

const packet = (i: number): Buffer => Buffer.from(String(i))
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a node that does not read → the oldest messages are dropped and counted, the newest arrive in order', async () => {
  const traffic = new NodeTraffic()
  const { queue, written, read } = open(traffic)
  const number = LINK_LIMITS.queueMessages + 11
  for (let i = 0; i < number; i++) queue.push(packet(i))
  expect(written).toEqual(['0'])
  expect(traffic.dropped).toBe(10)
  read()
  await turn()
  expect(written.slice(0, 3)).toEqual(['0', '11', '12'])
  for (let i = 0; i < 10; i++) {
    read()
    await turn()
  }
  expect(written.at(-1)).toBe(String(number - 1))
  expect(traffic).toMatchObject({ sent: number - 10, dropped: 10 })
})

test('messages of many bytes → the bytes are bounded too, and one message is never too large', async () => {
  const traffic = new NodeTraffic()
  const { queue, written, read } = open(traffic)
  const large = Buffer.alloc(LINK_LIMITS.queueBytes + 1, 'x')
  queue.push(packet(0))
  queue.push(large)
  queue.push(large)
  expect(traffic.dropped).toBe(1)
  read()
  await turn()
  expect(written[1]?.length).toBe(large.length)
})

test('the connection ends → what waits is counted as dropped', async () => {
  const traffic = new NodeTraffic()
  const { queue, read } = open(traffic)
  for (let i = 0; i < 5; i++) queue.push(packet(i))
  read(false)
  await turn()
  expect(traffic).toMatchObject({ sent: 1, dropped: 4 })
})
