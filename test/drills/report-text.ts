/** A text of the report of a device: the part of the device that its reason is about. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, MIGRATIONS, sqliteStep, TABLES } from './_support/drill.ts'

export const REPORT_TEXT: Drill = {
  change: 'a text of the report of a device',
  name: 'report-text',
  goal: { changed: 8, created: 0 },
  edits: {
    'src/broker/vocabulary/report-table.ts': [
      [
        '  readonly reason: string | null\n}',
        '  readonly reason: string | null\n  /** Part of the device that the reason is about. */\n  readonly place: string | null\n}',
      ],
      [
        '} as const satisfies Record<ReportTextName, ReportText>',
        `  place: { maximum: 9, description: 'the part of the device', example: 'valve 7', column: 'place' },
} as const satisfies Record<ReportTextName, ReportText>`,
      ],
    ],
    [MIGRATIONS]: [sqliteStep('ALTER TABLE reports ADD COLUMN place TEXT;')],
    [TABLES]: [added('  late_reason text,\n', '  place text,\n')],
    'src/cli/message-show.ts': [["{ reason: 'Reason' }", "{ reason: 'Reason', place: 'Place' }"]],
    'test/unit/wire.test.ts': [
      [
        "cause: 'ACKNOWLEDGED', reason: 'a\"b', result",
        "cause: 'ACKNOWLEDGED', reason: 'a\"b', place: null, result",
      ],
      ['"reason":"a\\\\"b","result"', '"reason":"a\\\\"b","place":null,"result"'],
    ],
  },
  written: [CLIENT_TYPES],
  served: {
    'a report → cut, and shown until a later report replaces it': async (server) => {
      const { id } = await server.send('pump-3', { command: 'start' })
      await server.report('pump-3', { id, deliveryStatus: 'DELIVERED', place: 'valve number 7' })
      expect(await server.details(id)).toMatchObject({ place: 'valve num', reason: null, result: null })
      const failed = { deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'stuck', result: 1.0 }
      await server.report('pump-3', { id, ...failed })
      expect(await server.details(id)).toMatchObject({ place: 'valve num', reason: 'stuck', result: 1 })
      const status = await server.call('GET', `/producer/getMessageStatus/${id}?details=true`)
      expect(status).toMatchObject({ place: 'valve num', reason: 'stuck', result: 1 })
      expect(await server.printed('messages', 'show', String(id))).toMatch(
        /^Reason +stuck\nPlace +valve num$/m,
      )
    },
  },
}
