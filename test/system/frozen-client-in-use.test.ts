/** Tests that a client of the first release notices nothing while every later feature is in use by others. */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { useEveryFeature } from '../_support/every-feature.ts'
import { transcriptOf } from '../_support/frozen-client.ts'
import { LIMIT_MS } from '../_support/limits.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

const FROZEN = readFileSync(new URL('../_support/frozen-transcript.txt', import.meta.url), 'utf8')

test.each(ADAPTERS)(
  'frozen client: %s, others use every feature meanwhile → the bodies of the first release',
  async (adapter) => {
    const broker = await BrokerUnderTest.start({
      adapter,
      mqtt: true,
      env: { COMMON_SEND_MESSAGE_PERIOD: '0', WAYBILL_IDEMPOTENCY_HOURS: '24' },
    })
    let isOver = false
    const neighbours = useEveryFeature(broker, () => isOver)
    const transcripts: string[] = []
    for (const name of ['first', 'second', 'third']) transcripts.push(await transcriptOf(broker, name))
    isOver = true
    expect(await neighbours).toBeGreaterThan(0)
    expect(transcripts).toEqual([FROZEN, FROZEN, FROZEN])
  },
)
