/** The framework serves a tree of endpoints without the broker: no storage, no MQTT. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { start } from '../../src/main.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { settingsOf } from '../_support/settings.ts'
import { answers, code, recordingLog, writeTree } from '../_support/trees.ts'

const TREE = { 'index.ts': code(answers('Greeting')) }

async function startWith(prefixes: readonly string[]) {
  const dataDir = join(temporaryDirectory(), 'data')
  const log = recordingLog()
  const flags = { host: '127.0.0.1:0', mqttAddress: '127.0.0.1:0', dataDir, prefixes }
  const running = await start(settingsOf({ flags }), log)
  whenDone(() => running.close(0, 'SIGTERM'))
  const mqtt = log.lines.some(({ message }) => message.startsWith('MQTT'))
  return { url: running.url, dataDir, mqtt }
}

test('start: prefixes without the broker → its endpoints answer, no data directory, no MQTT', async () => {
  const { url, dataDir, mqtt } = await startWith([writeTree(TREE)])
  expect(await (await fetch(`${url}/greeting/Ada`)).json()).toEqual(['Greeting', 'Ada'])
  expect((await fetch(`${url}/admin/api/overview`)).status).toBe(404)
  expect([existsSync(dataDir), mqtt]).toEqual([false, false])
})

test('start: prefixes with the broker → both answer, the data directory and MQTT are there', async () => {
  const { url, dataDir, mqtt } = await startWith([writeTree(TREE), '@broker'])
  expect((await fetch(`${url}/admin/api/overview`)).status).toBe(401)
  expect([existsSync(dataDir), mqtt]).toEqual([true, true])
})

test('start: an endpoint file with a mistake → no data directory', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const prefixes = [writeTree({ 'index.ts': 'export class {' }), '@broker']
  const settings = settingsOf({ flags: { host: '127.0.0.1:0', mqttAddress: 'off', dataDir, prefixes } })
  await expect(start(settings, recordingLog())).rejects.toThrow(/index\.ts: cannot be loaded/)
  expect(existsSync(dataDir)).toBe(false)
})
