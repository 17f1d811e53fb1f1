/** A term of a message: words for its device. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, MIGRATIONS, sqliteStep, TABLES } from './_support/drill.ts'

const TEMPLATES = '/admin/api/saved-messages'

export const MESSAGE_TERM: Drill = {
  change: 'a term of a message',
  name: 'message-term',
  goal: { changed: 8, created: 0 },
  edits: {
    'src/broker/vocabulary/term-table.ts': [
      added(
        '  readonly maxAttempts: number | null\n',
        '  /** Words for the device. */\n  readonly note: string | null\n',
      ),
      [
        '} as const satisfies Record<TermName, Term>',
        `  note: {
    type: 'text',
    maximum: 200,
    description: 'words for the device',
    flag: 'words for the device',
    column: 'note',
    storedAs: 'note',
    isTime: false,
  },
} as const satisfies Record<TermName, Term>`,
      ],
      ["  'maxAttempts',\n]", "  'maxAttempts',\n  'note',\n]"],
    ],
    [MIGRATIONS]: [
      sqliteStep('ALTER TABLE terms ADD COLUMN note TEXT; ALTER TABLE templates ADD COLUMN note TEXT;'),
    ],
    [TABLES]: [
      added('  late_reason text,\n', '  note text,\n'),
      [
        '  max_attempts int,\n  data text NOT NULL\n',
        '  max_attempts int,\n  note text,\n  data text NOT NULL\n',
      ],
    ],
    'src/cli/message-show.ts': [
      [
        '  maxAttempts: ({ maxAttempts })',
        "  note: ({ note }) => ['Note', note],\n  maxAttempts: ({ maxAttempts })",
      ],
    ],
  },
  written: [CLIENT_TYPES],
  served: {
    'flag of send → the details': async (server) => {
      const note = 'Say "valve 7" first — 7°'
      const { id } = await server.cli('send', 'pump-1', 'start', '--note', note, '--max-attempts', '4')
      expect(await server.details(id)).toMatchObject({ terms: { note, maxAttempts: 4, validSeconds: null } })
      const plain = await server.send('pump-1', { command: 'start', maxAttempts: 4 })
      expect(await server.details(plain.id)).toMatchObject({ terms: { note: null, maxAttempts: 4 } })
    },
    'template → its messages have it': async (server) => {
      const template = { clientId: null, command: 'start', deliveryGuarantee: 'ONLY_LAST', maxAttempts: 4 }
      const note = 'for "all"'
      const { id } = await server.call('POST', TEMPLATES, { ...template, note, details: true }, 201)
      const changed = { ...template, note: `${note}!`, details: true }
      const saved = await server.call('PUT', `${TEMPLATES}/${id}`, changed)
      expect(saved).toMatchObject({ note: `${note}!` })
      expect(await server.call('GET', `${TEMPLATES}/${id}?details=true`)).toMatchObject({
        ...{ note: `${note}!`, maxAttempts: 4, validSeconds: null },
      })
      await server.call('POST', `${TEMPLATES}/${id}/sendToDevices`, { deviceIds: ['pump-4'] })
      const [sent] = await server.call<[{ id: number }]>('GET', '/admin/api/messages?deviseId=pump-4')
      expect(await server.details(sent.id)).toMatchObject({
        terms: { note: `${note}!`, maxAttempts: 4, validSeconds: null },
      })
    },
  },
}
