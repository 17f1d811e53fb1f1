/** The places of a listener for connections that nobody has accepted yet, as the operating system shows them. Needs `ss`. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { StartFields } from '../../src/process/start-text.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { startServer } from '../_support/server.ts'

const HAS_SS = spawnSync('ss', ['-V']).status === 0

test.runIf(HAS_SS)('listeners of HTTP and MQTT: backlog → 4,096, or what the kernel allows', async () => {
  const { log } = await startServer({
    args: ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0'],
    dataDir: temporaryDirectory(),
  })
  const { http, mqtt } = log.find(({ msg }) => msg === 'listening') as unknown as StartFields
  const kernel = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  const listeners = spawnSync('ss', ['-Hlnt'], { encoding: 'utf8' }).stdout.split('\n')
  const backlogs = [http, mqtt as string].map((url) => {
    const line = listeners.find((each) => each.includes(`:${new URL(url).port} `))
    return Number(line?.split(/\s+/)[2])
  })
  expect(backlogs).toEqual([Math.min(4_096, kernel), Math.min(4_096, kernel)])
})
