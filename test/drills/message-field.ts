/** A field of a message, from the producer to the lists for admins: the place from which a command was sent. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, MIGRATIONS, sqliteStep, TABLES } from './_support/drill.ts'

export const MESSAGE_FIELD: Drill = {
  change: 'a field of a message',
  name: 'message-field',
  goal: { changed: 8, created: 0 },
  edits: {
    'src/broker/vocabulary/message.ts': [
      [
        '  /** JSON object as the producer wrote it. */\n',
        `  /** Place from which the producer sent it; null without one. */
  readonly origin: string | null
  /** JSON object as the producer wrote it. */\n`,
      ],
      added('  readonly links?: NewLinks | null\n', '  readonly origin?: string | null\n'),
      added(
        "  cause: { column: 'cause', schema: Text({ examples: ['EXPIRED'] }), nullable: true },\n",
        `  origin: {
    column: 'origin',
    schema: Text({ maxLength: 64, description: 'place of the producer', examples: ['control room'] }),
    nullable: true,
    detailed: 'origin',
    submitted: (message) => message.origin ?? null,
  },\n`,
      ),
    ],
    'src/broker/engine/submissions.ts': [
      [
        'replaces = null, links = null } = submission',
        'replaces = null, links = null, origin = null } = submission',
      ],
      added('      idempotency,\n      links,\n', '      origin,\n'),
    ],
    [MIGRATIONS]: [sqliteStep('ALTER TABLE messages ADD COLUMN origin TEXT;')],
    [TABLES]: [added('  late_reason text,\n', '  origin text COLLATE "C",\n')],
    'src/store/memory/memory-message.ts': [added('    senderId,\n', '    origin: content.origin ?? null,\n')],
    'test/unit/store-sqlite.test.ts': [added('        cause: null,\n', '        origin: null,\n')],
    'test/unit/timeline-changes.test.ts': [
      ["cause: null, data: '{}' },\n}", "cause: null, origin: null, data: '{}' },\n}"],
    ],
    'src/wire/messages.ts': [
      [
        'const { id, deviceId, command, status, guarantee, data, correlationId, producerId } =',
        'const { id, deviceId, command, status, guarantee, data, correlationId, producerId, origin } =',
      ],
      [
        '    idempotencyKey: Maybe(IdempotencyKey),\n',
        '    origin: Maybe(origin.schema),\n    idempotencyKey: Maybe(IdempotencyKey),\n',
      ],
      [
        '    terms: termsOf(message),\n',
        '    terms: termsOf(message),\n    origin: message.origin ?? null,\n',
      ],
      [
        '  replaces,\n}: Submission): unknown[] {',
        '  replaces,\n  origin = null,\n}: Submission): unknown[] {',
      ],
      [
        '    ...givenTerms(terms),\n',
        "    ...givenTerms(terms),\n    ...(origin === null ? [] : ['origin', origin]),\n",
      ],
    ],
  },
  written: [CLIENT_TYPES],
  served: {
    'a producer sends it → the message shows it': async (server) => {
      const body = { command: 'start', origin: 'control room — 2' }
      const { id } = await server.send('pump-5', body)
      const { id: plain } = await server.send('pump-5', { command: 'stop' })
      expect(await server.details(id)).toMatchObject({ command: 'start', origin: 'control room — 2' })
      expect(await server.details(plain)).toMatchObject({ command: 'stop', origin: null })
    },
    'the same idempotency key with another value → refused': async (server) => {
      const send = (origin: string, status?: number) =>
        server.send('pump-6', { command: 'start', idempotencyKey: 'k', origin }, status)
      const { id } = await send('hall 1')
      expect(await send('hall 1')).toMatchObject({ id })
      await send('hall 2', 422)
    },
  },
}
