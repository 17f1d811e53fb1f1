/** A metric: requests that began to wait. */
import { expect } from 'vitest'
import { added, type Drill, OPERATE } from './_support/drill.ts'

export const METRIC: Drill = {
  change: 'a metric',
  name: 'metric',
  goal: { changed: 2, created: 0 },
  edits: {
    'src/metrics/table.ts': [
      [
        "  {\n    name: 'waybill_busy_devices',",
        `  {
    name: 'waybill_waits_total',
    type: 'counter',
    help: 'Requests that began to wait for a message or a status.',
    labels: BY_TRANSPORT,
    read: ({ waits }) => [[waits.all, REST]],
  },
  {
    name: 'waybill_busy_devices',`,
      ],
    ],
    'src/broker/engine/waits.ts': [
      added('  readonly #limit: number\n', '  /** Requests that have begun to wait. */\n  all = 0\n'),
      ['    this.#ends.add(end)\n', '    this.all++\n    this.#ends.add(end)\n'],
    ],
    'test/system/promtool.test.ts': [
      [
        "['waybill_info', 'waybill_incidents',",
        "['waybill_info', 'waybill_waits_total', 'waybill_incidents',",
      ],
    ],
  },
  written: [OPERATE],
  served: {
    'a poll waits → one more': async (server) => {
      const waits = async () =>
        /^waybill_waits_total\{transport="REST"\} (\d+)$/m.exec(await server.text('GET', '/metrics'))?.[1]
      const before = Number(await waits())
      await server.text('GET', '/consumer/getLastMessage/none-yet?wait=1')
      expect(await waits()).toBe(String(before + 1))
    },
  },
}
