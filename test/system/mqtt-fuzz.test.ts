/**
 * Sends packets with hostile texts, odd properties, odd orders and broken parts, over TCP and WebSocket, in all versions of
 * MQTT. The server lives, serves a device meanwhile, logs no error, and its memory is level.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { MqttFuzzer } from '../_support/mqtt-fuzzer.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { tokenOf } from '../_support/rest.ts'
import type { ServerProcess } from '../_support/server.ts'

vi.setConfig({ testTimeout: 10 * LIMIT_MS })

const SEED = seedOfRun()
const PACKETS = 20_000
/** Packets between two commands of the well-behaved device. */
const PERIOD = 500
/** Growth of the memory in use, from the middle of a run to its end, that is not level. */
const LEVEL_MB = 15
/** Lets the server tell its memory in use after a full collection of garbage. */
const MEMORY = `
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const memoryMb = Math.round((heapUsed + external) / 2 ** 20)
  process.stdout.write(JSON.stringify({ level: 'info', msg: 'memory', memoryMb }) + '\\n')
})`

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`SEED=${SEED}`)
})

async function memoryOf(server: ServerProcess): Promise<number> {
  const before = server.log.length
  process.kill(server.pid, 'SIGUSR2')
  const line = await server.logged((each) => 'memoryMb' in each && server.log.indexOf(each) >= before)
  return line.memoryMb as number
}

test(`${PACKETS} hostile packets → the server lives, a device is served, memory is level`, async () => {
  const broker = await BrokerUnderTest.spawn({
    mqtt: true,
    dataDir: await withClients('lamp', 'constructor', 'steady'),
    env: {
      MQTT_EXTRA_TOPICS: 't/#,__proto__,constructor,7,3',
      WAYBILL_QUEUE_LIMIT: '20',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MEMORY)}`,
    },
  })
  const { server, mqttPort } = broker
  const logins = [{ username: 'admin', password: broker.token }]
  for (const username of ['lamp', 'constructor']) {
    logins.push({ username, password: await tokenOf(server.url, username, PASSWORD) })
  }
  const fuzzer = new MqttFuzzer({ mqttPort, httpPort: broker.port, logins, random: seeded(SEED) })
  const steady = await MqttPeer.connect({ port: mqttPort, username: 'steady', password: PASSWORD })
  await steady.subscribe('consumer/request/steady')
  const serve = async (): Promise<void> => {
    const id = await broker.send('steady', { command: 'go' })
    expect(JSON.parse((await steady.next()).text)).toMatchObject({ id, command: 'go' })
    await steady.publish('consumer/response/steady', { id, deliveryStatus: 'COMPLETED' })
    expect(await broker.status(id)).toBe('COMPLETED')
  }
  const memory: number[] = []
  const begun = performance.now()
  for (let next = PERIOD; next <= PACKETS; next += PERIOD) {
    await Promise.all([fuzzer.sendUntil(next), serve()])
    if (next === PACKETS / 2 || next === PACKETS) memory.push(await memoryOf(server))
  }
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const { packets, opened, ended, refused } = fuzzer
  console.log(JSON.stringify({ SEED, packets, opened, ended, refused, memoryMb: memory, seconds }))
  expect(server.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  const [middle = 0, end = 0] = memory
  expect(end - middle).toBeLessThan(LEVEL_MB)
  expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
})
