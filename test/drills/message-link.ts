/** A link between messages: the message that a message undoes. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, MIGRATIONS, sqliteStep, TABLES } from './_support/drill.ts'

export const MESSAGE_LINK: Drill = {
  change: 'a link between messages',
  name: 'message-link',
  goal: { changed: 8, created: 0 },
  edits: {
    'src/broker/vocabulary/link-table.ts': [
      added(
        "  resentFrom: { reverse: 'resentAs', table: 'resends' },\n",
        "  /** Message whose command this message undoes. */\n  undoes: { reverse: 'undoneBy', table: 'undoings' },\n",
      ),
    ],
    [MIGRATIONS]: [
      sqliteStep(`CREATE TABLE undoings (
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     new_message_id INTEGER NOT NULL UNIQUE,
     PRIMARY KEY (message_id, new_message_id)
   ) STRICT, WITHOUT ROWID;`),
    ],
    [TABLES]: [
      [
        '-- Numbers of the changes.',
        `CREATE TABLE undoings (
  message_id bigint NOT NULL,
  new_message_id bigint NOT NULL UNIQUE,
  PRIMARY KEY (message_id, new_message_id)
);

-- Numbers of the changes.`,
      ],
    ],
    'src/wire/messages.ts': [
      added('    idempotencyKey: Maybe(IdempotencyKey),\n', '    undoes: Maybe(MessageId),\n'),
      added(
        '    idempotency: null,\n',
        '    links: message.undoes == null ? null : { undoes: message.undoes },\n',
      ),
    ],
  },
  written: [CLIENT_TYPES],
  served: {
    'a message that undoes another → both show it': async (server) => {
      const { id: first } = await server.send('pump-2', { command: 'open' })
      const { id: second } = await server.send('pump-2', { command: 'close', undoes: first })
      const again = await server.call('POST', `/admin/api/messages/${second}/resend`, { force: true })
      expect(await server.details(first)).toMatchObject({
        ...{ undoes: null, undoneBy: second, resentFrom: null, resentAs: null },
      })
      expect(await server.details(second)).toMatchObject({
        ...{ undoes: first, undoneBy: null, resentFrom: null, resentAs: again.id },
      })
    },
  },
}
