/** The retained messages of a node agree with those in the storage, which the test holds. */
import type { AedesPublishPacket } from 'aedes'
import { expect, test } from 'vitest'
import { SharedRetained } from '../../src/mqtt/shared-retained.ts'
import type { RetainedDirectory, RetainedEntry } from '../../src/transport/node-directory.ts'
import { whenDone } from '../_support/cleanup.ts'

function open() {
  const stored = new Map<string, RetainedEntry>()
  const held = new Map<string, AedesPublishPacket>()
  const hits: string[] = []
  const state = { fails: false, isFull: false }
  let tell: (topic: string | null) => void = () => {}
  const directory: RetainedDirectory = {
    async put(entry) {
      if (state.fails) throw new Error('away')
      if (entry.content === null) stored.delete(entry.topic)
      else stored.set(entry.topic, entry)
    },
    read: async (topics) => topics.flatMap((topic) => stored.get(topic) ?? []),
    list: async (after, limit) => {
      const topics = [...stored.keys()].filter((topic) => topic > after).sort()
      return topics.slice(0, limit).map((topic) => stored.get(topic) as RetainedEntry)
    },
    watch: (listener) => {
      tell = listener
      return () => {}
    },
  }
  const copy = {
    topics: () => held.keys(),
    hold(packet: AedesPublishPacket) {
      if (state.isFull) return false
      if (packet.payload.length === 0) held.delete(packet.topic)
      else held.set(packet.topic, packet)
      return true
    },
  }
  const retained = new SharedRetained({ directory, copy, limits: { hit: (limit) => void hits.push(limit) } })
  whenDone(() => retained.close())
  const texts = (): string[] => [...held].map(([topic, { payload }]) => `${topic} ${payload}`).sort()
  return { retained, stored, held, hits, state, texts, tell: (topic: string | null) => tell(topic) }
}

const packet = (topic: string, text: string, more: object = {}): AedesPublishPacket =>
  ({ cmd: 'publish', topic, payload: Buffer.from(text), qos: 1, retain: true, ...more }) as AedesPublishPacket
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('start: 2,500 messages in the storage → all are there', async () => {
  const { retained, stored, held } = open()
  for (let i = 0; i < 2_500; i++) {
    stored.set(`t/${i}`, { topic: `t/${i}`, content: '{"payload":"YQ==","qos":0}', expiresAtMs: null })
  }
  await retained.start()
  expect(held.size).toBe(2_500)
})

test('a message with all properties → it is the same after the storage', async () => {
  const { retained, held, tell } = open()
  const properties = {
    ...{ contentType: 'x', correlationData: Buffer.from([0, 255]), messageExpiryInterval: 60 },
    userProperties: { a: ['1', '2'] },
  }
  await retained.put(packet('t/1', 'a', { properties }))
  held.clear()
  tell('t/1')
  await turn()
  expect(held.get('t/1')).toMatchObject({ qos: 1, retain: true, payload: Buffer.from('a'), properties })
  expect(held.get('t/1')).toHaveProperty('messageExpiry', expect.any(Number))
})

test('another node replaces and removes → this node follows; after a gap it reads all', async () => {
  const { retained, stored, texts, tell } = open()
  await retained.start()
  await retained.put(packet('t/1', 'a'))
  await retained.put(packet('t/2', 'b'))
  const other = { topic: 't/1', content: '{"payload":"eg==","qos":0}', expiresAtMs: null }
  stored.set('t/1', other)
  stored.delete('t/2')
  tell('t/1')
  tell('t/2')
  await turn()
  expect(texts()).toEqual(['t/1 z'])
  stored.delete('t/1')
  stored.set('t/3', { ...other, topic: 't/3' })
  tell(null)
  await turn()
  expect(texts()).toEqual(['t/3 z'])
})

test('the storage fails → false, a line, and what the storage has holds again', async () => {
  const { retained, state, texts, hits } = open()
  await retained.start()
  await retained.put(packet('t/1', 'a'))
  state.fails = true
  expect(await retained.put(packet('t/1', 'b'))).toBe(false)
  await turn()
  expect(texts()).toEqual(['t/1 a'])
  expect(hits).toEqual(['storage of retained messages'])
})

test('a limit forbids a message → it is not stored for the others either', async () => {
  const { retained, state, stored } = open()
  state.isFull = true
  expect(await retained.put(packet('t/1', 'a'))).toBe(true)
  expect(stored.size).toBe(0)
})
