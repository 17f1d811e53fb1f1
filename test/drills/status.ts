/** A status that devices report: the device refuses the command. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, MIGRATIONS, sqliteStep } from './_support/drill.ts'

const SQLITE_STEP = `DROP INDEX messages_rare;
   CREATE INDEX messages_rare ON messages (status) WHERE (status = 'COMPLETED_WITH_ERROR' OR status = 'CANCELLED' OR status = 'UNKNOWN' OR status = 'REJECTED');
   DROP INDEX messages_failed;
   CREATE INDEX messages_failed ON messages (changed_at_ms) WHERE (status = 'COMPLETED_WITH_ERROR' OR status = 'UNKNOWN' OR status = 'REJECTED');
   DROP TRIGGER counts_failures;
   CREATE TRIGGER counts_failures AFTER UPDATE OF status ON messages
   WHEN new.status = 'COMPLETED_WITH_ERROR' OR new.status = 'UNKNOWN' OR new.status = 'REJECTED' OR new.status = 'CANCELLED'
     OR old.status = 'COMPLETED_WITH_ERROR' OR old.status = 'UNKNOWN' OR old.status = 'REJECTED'
   BEGIN
     UPDATE statistics SET failed = failed - 1, unknown = unknown - (old.status = 'UNKNOWN')
       WHERE old.status IN ('COMPLETED_WITH_ERROR', 'UNKNOWN', 'REJECTED')
         AND (step_ms, at_ms) IN (VALUES (60000, old.changed_at_ms - old.changed_at_ms % 60000),
           (3600000, old.changed_at_ms - old.changed_at_ms % 3600000));
     INSERT INTO statistics (step_ms, at_ms, failed, unknown, cancelled)
       SELECT column1, new.changed_at_ms - new.changed_at_ms % column1, new.status <> 'CANCELLED', new.status = 'UNKNOWN',
         new.status = 'CANCELLED'
       FROM (VALUES (60000), (3600000))
       WHERE new.status IN ('COMPLETED_WITH_ERROR', 'UNKNOWN', 'REJECTED', 'CANCELLED')
       ON CONFLICT (step_ms, at_ms) DO UPDATE SET failed = failed + excluded.failed,
         unknown = unknown + excluded.unknown, cancelled = cancelled + excluded.cancelled;
   END;`

/** Step for databases whose first step did not know the status. */
const POSTGRES_STEP = `DROP INDEX rare_messages_failed;
CREATE INDEX rare_messages_failed ON rare_messages (changed_at_ms) WHERE status IN (\${FAILED});
CREATE OR REPLACE FUNCTION list_rare() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM rare_messages r WHERE r.status = old.status AND r.message_id = old.id;
  IF new.status IN (\${FAILED}, \${CANCELLED}) THEN INSERT INTO rare_messages VALUES (new.status, new.id, new.changed_at_ms); END IF;
  RETURN NULL;
END $$;
DROP TRIGGER lists_rare ON messages;
CREATE TRIGGER lists_rare AFTER UPDATE OF status, changed_at_ms ON messages FOR EACH ROW
  WHEN (new.status IN (\${FAILED}, \${CANCELLED}) OR old.status IN (\${FAILED}, \${CANCELLED})) EXECUTE FUNCTION list_rare();
CREATE OR REPLACE FUNCTION count_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.status IN (\${FAILED}) THEN
    INSERT INTO statistic_changes VALUES (old.changed_at_ms, -1, -(old.status = \${UNKNOWN})::int, 0);
  END IF;
  IF new.status IN (\${FAILED}, \${CANCELLED}) THEN
    INSERT INTO statistic_changes
      VALUES (new.changed_at_ms, (new.status <> \${CANCELLED})::int, (new.status = \${UNKNOWN})::int, (new.status = \${CANCELLED})::int);
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER counts_failures ON messages;
CREATE TRIGGER counts_failures AFTER UPDATE OF status ON messages FOR EACH ROW
  WHEN (new.status IN (\${FAILED}, \${CANCELLED}) OR old.status IN (\${FAILED})) EXECUTE FUNCTION count_failure();`

const DRAWING = [
  ['ackCompleted, ackFailed ──────────────┴', 'ackCompleted, ackFailed, ackRejected ─┴'],
  [
    'CANCELLED                                       COMPLETED, COMPLETED_WITH_ERROR\n',
    'CANCELLED                                       COMPLETED, COMPLETED_WITH_ERROR, REJECTED\n',
  ],
] as const

export const STATUS: Drill = {
  change: 'a status',
  name: 'status',
  goal: { changed: 6, created: 0 },
  edits: {
    'src/broker/vocabulary/status.ts': [
      ...DRAWING,
      added("  UNKNOWN: 'unclear',\n", "  REJECTED: 'failed',\n"),
      [
        "ACK_STATUSES = ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR'] as const",
        "ACK_STATUSES = ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR', 'REJECTED'] as const",
      ],
      [
        '  /** A later ONLY_LAST message with',
        `  /** The device refused to execute the command. */
  ackRejected: { from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'], to: 'REJECTED', cause: 'ACKNOWLEDGED' },
  /** A later ONLY_LAST message with`,
      ],
      added("  COMPLETED_WITH_ERROR: 'ackFailed',\n", "  REJECTED: 'ackRejected',\n"),
    ],
    [MIGRATIONS]: [sqliteStep(SQLITE_STEP)],
    'src/store/postgres/schema/schema.ts': [
      ['  DELIVERY_CAUSES,\n  LISTED_CAUSES,', '  DELIVERY_CAUSES,\n  FAILED_STATUSES,\n  LISTED_CAUSES,'],
      [
        'import { CAUSE_CODES, GUARANTEE_CODES, STATUS_CODES } from',
        'import { CAUSE_CODES, codesOf, GUARANTEE_CODES, STATUS_CODES, status } from',
      ],
      [
        '/** Change of the schema, made once',
        'const { CANCELLED, UNKNOWN } = status\nconst FAILED = codesOf(STATUS_CODES, FAILED_STATUSES)\n\n/** Change of the schema, made once',
      ],
      added("].join('\\n'),\n  },\n", `  { sql: \`${POSTGRES_STEP}\` },\n`),
    ],
    'src/ui/texts/en.ts': [added("    UNKNOWN: 'Unknown',\n", "    REJECTED: 'Refused by the device',\n")],
    'src/ui/texts/ru.ts': [added("    UNKNOWN: 'Неизвестно',\n", "    REJECTED: 'Отклонено устройством',\n")],
    'docs/concepts.md': [
      ...DRAWING,
      [
        '- `COMPLETED`, `COMPLETED_WITH_ERROR` and `CANCELLED` are',
        '- `COMPLETED`, `COMPLETED_WITH_ERROR`, `REJECTED` and `CANCELLED` are',
      ],
      [
        '`DELIVERED`, `COMPLETED` or `COMPLETED_WITH_ERROR`, in',
        '`DELIVERED`, `COMPLETED`, `COMPLETED_WITH_ERROR` or `REJECTED`, in',
      ],
    ],
  },
  written: [CLIENT_TYPES],
  served: {
    'a device reports it → final, found as a failure, and a later report is kept as LATE': async (server) => {
      const { id } = await server.send('valve-1', { command: 'open' })
      await server.report('valve-1', { id, deliveryStatus: 'REJECTED', reason: 'locked' })
      expect(await server.details(id)).toMatchObject({ deliveryStatus: 'REJECTED', reason: 'locked' })
      const failed = await server.call<object[]>('GET', '/admin/api/messages?outcome=FAILED&deviseId=valve-1')
      const rare = await server.call<object[]>('GET', '/admin/api/messages?status=REJECTED')
      expect([failed, rare]).toMatchObject([[{ id }], [{ id }]])
      await server.call('POST', '/consumer/request/valve-1', { id, deliveryStatus: 'COMPLETED' }, 409)
      const { history } = await server.details(id)
      expect(history).toContainEqual(expect.objectContaining({ cause: 'LATE', deliveryStatus: 'COMPLETED' }))
      const { items } = await server.call('GET', '/admin/api/alerts')
      expect(items).toContainEqual(expect.objectContaining({ kind: 'FAILED', messageId: id }))
    },
  },
}
