/** Tests that a client of the first release gets the same bodies, byte for byte, whatever later releases add. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { transcriptOf } from '../_support/frozen-client.ts'

/** Bodies of the first release. Clients in the field depend on them, so no later change may edit this file. */
const FROZEN = readFileSync(new URL('../_support/frozen-transcript.txt', import.meta.url), 'utf8')

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '0' } })
})

test('frozen client: REST and MQTT → the bodies of the first release', async () => {
  expect(await transcriptOf(broker, 'frozen')).toBe(FROZEN)
})

test('frozen client: other clients have used the broker before → the same bodies', async () => {
  expect(await transcriptOf(broker, 'second')).toBe(FROZEN)
})
