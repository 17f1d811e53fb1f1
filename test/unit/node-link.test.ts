/** A link to another node, over an MQTT client that the test plays. */
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { NodeLink, type NodeLinkOptions } from '../../src/mqtt/node-link.ts'

class PlayedClient extends EventEmitter {
  connected = true
  readonly calls: string[] = []
  handleMessage: (packet: object, done: () => void) => void = () => {}
  subscribe = (filter: string, options: object): void =>
    void this.calls.push(`+${filter} ${JSON.stringify(options)}`)
  unsubscribe = (filter: string): void => void this.calls.push(`-${filter}`)
  end(): void {}
}

function open() {
  const client = new PlayedClient()
  const done: (() => void)[] = []
  const ends: (Error | null)[] = []
  const link = new NodeLink({
    connect: (() => client) as unknown as NodeLinkOptions['connect'],
    node: { nodeId: 2, scheme: 'mqtt', host: 'b', port: 1 },
    ...{ password: '', certificate: null },
    onMessage: (_, each) => void done.push(each),
    onOpen() {},
    onEnd: (error) => void ends.push(error),
  })
  return { link, client, done, ends }
}

test('filters change → only the differences are sent, without retained messages and own ones', () => {
  const { link, client } = open()
  link.sync(new Set(['t/a', 't/b']))
  link.sync(new Set(['t/b', 't/c']))
  const options = '{"qos":0,"nl":true,"rap":true,"rh":2}'
  expect(client.calls).toEqual([`+t/a ${options}`, `+t/b ${options}`, '-t/a', `+t/c ${options}`])
})

test('clients take messages slowly → the link stops reading at 1,000, and reads on with each that is taken', () => {
  const { client, done } = open()
  let read = 0
  const receive = (): void =>
    client.handleMessage({ topic: '$node/1/t/x', payload: Buffer.from('x') }, () => {
      read++
      // The client gives the next message within this call.
      if (read >= 999) receive()
    })
  for (let i = 0; i < 999; i++) receive()
  expect([read, done.length]).toEqual([999, 1_000])
  for (let i = 0; i < 500; i++) done[i]?.()
  expect([read, done.length]).toEqual([1_499, 1_500])
})

test('a topic that no node sends → ignored', () => {
  const { client, done } = open()
  let read = 0
  for (const topic of ['t/x', '$node/3/t/x', '$node/1/', '$SYS/x'])
    client.handleMessage({ topic, payload: Buffer.from('x') }, () => read++)
  expect([read, done.length]).toEqual([4, 0])
})

test('the connection fails → the reason, once', () => {
  const { client, ends } = open()
  const error = new Error('refused')
  client.emit('error', error)
  client.emit('close')
  client.emit('close')
  expect(ends).toEqual([error])
})
