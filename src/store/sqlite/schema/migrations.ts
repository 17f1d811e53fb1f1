/**
 * Defines the schema as a list of steps. `PRAGMA user_version` counts the steps of a database, and `PRAGMA
 * application_id` is their fingerprint.
 *
 * To change the schema, append a step, and never edit a released step. Each step runs once, in its own transaction. A
 * step contains no text from other modules, because a change there would change a released step. A new rare status
 * therefore needs a step that drops and creates the index `messages_rare` again, with the condition of
 * rare-statuses.ts. Times are milliseconds since 1970. A database with more steps than this list comes from a later
 * release, and is refused. The table `schema_steps` names that release. A database with other steps comes from an
 * unreleased build, and is refused.
 */
import type { Database } from 'better-sqlite3'
import { version as release } from '../../../process/version.ts'
import { schemaFingerprint } from '../../schema-fingerprint.ts'

export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT never reuses the id of a deleted row. For messages it would write one more page with each commit, so
  // sequences.ts has that task. The table of messages has no index by device and none of pending messages. With a
  // million pending messages the first would cost four times the rest of an insert, and the second a quarter.
  // message-index.ts fills device_messages, newest_messages and waiting later, while the writer is idle.
  `CREATE TABLE messages (
     id INTEGER PRIMARY KEY,
     device_id TEXT NOT NULL,
     command TEXT NOT NULL,
     guarantee TEXT NOT NULL,
     status TEXT NOT NULL DEFAULT 'NOT_DELIVERED',
     tmp_id INTEGER,
     producer_id TEXT,
     sender_id TEXT,
     created_at_ms INTEGER NOT NULL,
     changed_at_ms INTEGER NOT NULL,
     -- Of the first poll that got it, where it may be got again.
     polled_at_ms INTEGER,
     delivered_at_ms INTEGER,
     -- Whose acknowledgement it was, where it was not the device's own.
     delivered_by TEXT,
     -- Who caused the last change, where it was neither the device nor the broker.
     changed_by TEXT,
     broken_at_ms INTEGER,
     superseded_by INTEGER,
     delivered_error INTEGER NOT NULL DEFAULT 0,
     -- Null where the status tells the cause.
     cause TEXT,
     -- Last, since what stands behind a long one is slow to read.
     data TEXT NOT NULL
   ) STRICT;

   CREATE INDEX messages_rare ON messages (status) WHERE (status = 'COMPLETED_WITH_ERROR' OR status = 'CANCELLED' OR status = 'UNKNOWN');

   -- Failures by their last change. A message that does not fail never has an entry.
   CREATE INDEX messages_failed ON messages (changed_at_ms) WHERE (status = 'COMPLETED_WITH_ERROR' OR status = 'UNKNOWN');

   CREATE TABLE device_messages (
     -- message_id >> 14
     segment INTEGER NOT NULL,
     device_id TEXT NOT NULL,
     message_id INTEGER NOT NULL,
     PRIMARY KEY (segment, device_id, message_id)
   ) STRICT, WITHOUT ROWID;

   -- Of each device in device_messages.
   CREATE TABLE newest_messages (
     device_id TEXT PRIMARY KEY,
     message_id INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE waiting (
     message_id INTEGER PRIMARY KEY,
     device_id TEXT NOT NULL,
     command TEXT NOT NULL,
     bytes INTEGER NOT NULL
   ) STRICT;

   CREATE TRIGGER waits_no_more AFTER UPDATE OF status ON messages WHEN old.status = 'NOT_DELIVERED'
   BEGIN DELETE FROM waiting WHERE message_id = old.id; END;

   -- The newest message that device_messages, newest_messages and waiting know of.
   CREATE TABLE progress (name TEXT PRIMARY KEY, message_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   INSERT INTO progress VALUES ('message_index', 0);

   CREATE TABLE attempts (
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     number INTEGER NOT NULL,
     at_ms INTEGER NOT NULL,
     transport TEXT NOT NULL,
     outcome TEXT,
     PRIMARY KEY (message_id, number)
   ) STRICT, WITHOUT ROWID;

   -- Only messages with terms, or whose producer wants details, have a row.
   CREATE TABLE terms (
     message_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
     not_before_ms INTEGER,
     expires_at_ms INTEGER,
     finish_seconds INTEGER,
     -- While the message is DELIVERED and its finish deadline runs.
     finish_at_ms INTEGER,
     max_attempts INTEGER,
     details INTEGER NOT NULL DEFAULT 0
   ) STRICT;

   -- Kind: EXPIRES, FINISH. A row may outlive its message or the reason for it. It then changes nothing when it is due.
   CREATE TABLE deadlines (
     at_ms INTEGER NOT NULL,
     kind TEXT NOT NULL,
     message_id INTEGER NOT NULL,
     PRIMARY KEY (at_ms, kind, message_id)
   ) STRICT, WITHOUT ROWID;

   -- What a device reported beside its status.
   CREATE TABLE reports (
     message_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
     reason TEXT,
     result TEXT,
     result_dropped INTEGER NOT NULL DEFAULT 0,
     late_status TEXT,
     late_at_ms INTEGER,
     late_reason TEXT
   ) STRICT;

   -- The changes of a status that the columns of messages cannot hold: parked, expired, not finished, replayed.
   CREATE TABLE changes (
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     number INTEGER NOT NULL,
     at_ms INTEGER NOT NULL,
     status TEXT NOT NULL,
     cause TEXT NOT NULL,
     by TEXT,
     PRIMARY KEY (message_id, number)
   ) STRICT, WITHOUT ROWID;

   -- Idempotency keys. The scope is the sender; empty when access checks are off.
   CREATE TABLE submissions (
     scope TEXT NOT NULL,
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     at_ms INTEGER NOT NULL,
     repeats INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (scope, key)
   ) STRICT, WITHOUT ROWID;

   CREATE INDEX submissions_by_message ON submissions (message_id);
   CREATE INDEX submissions_by_age ON submissions (at_ms);

   -- The messages whose command was sent again.
   CREATE TABLE resends (
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     new_message_id INTEGER NOT NULL UNIQUE,
     PRIMARY KEY (message_id, new_message_id)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE devices (
     device_id TEXT PRIMARY KEY,
     dispatched_at_ms INTEGER,
     busy_until_ms INTEGER
   ) STRICT, WITHOUT ROWID;

   -- Only devices with a value of their own have a row. NULL: the general value applies.
   CREATE TABLE device_settings (
     device_id TEXT PRIMARY KEY,
     send_message_period_ms INTEGER,
     max_attempts INTEGER,
     valid_seconds INTEGER,
     finish_seconds INTEGER,
     next_after TEXT,
     details INTEGER,
     queue_limit INTEGER,
     queue_bytes INTEGER,
     expected_seconds INTEGER
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE clients (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     device_id TEXT NOT NULL UNIQUE,
     password_hash TEXT NOT NULL,
     role TEXT NOT NULL,
     description TEXT NOT NULL DEFAULT '',
     -- JSON: the device ids, and prefixes ending in *, that the client may act for.
     devices TEXT NOT NULL DEFAULT '[]',
     -- NULL: the general setting applies.
     own_queue_only INTEGER,
     changed_at_ms INTEGER NOT NULL,
     -- NULL: the client has never logged in.
     last_login_at_ms INTEGER
   ) STRICT;

   CREATE TABLE api_keys (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     client_id INTEGER NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
     -- SHA-256 of the key.
     hash TEXT NOT NULL,
     description TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL,
     last_used_at_ms INTEGER,
     expires_at_ms INTEGER
   ) STRICT;

   CREATE INDEX api_keys_by_client ON api_keys (client_id);

   -- A line outlives its client and its key.
   CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at_ms INTEGER NOT NULL,
     client TEXT,
     key_id INTEGER,
     address TEXT,
     action TEXT NOT NULL,
     object TEXT,
     -- JSON.
     detail TEXT NOT NULL
   ) STRICT;

   CREATE INDEX audit_by_age ON audit (at_ms);

   CREATE TABLE templates (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     -- Null: for any device.
     client_id INTEGER REFERENCES clients (id) ON DELETE CASCADE,
     description TEXT NOT NULL,
     command TEXT NOT NULL,
     guarantee TEXT NOT NULL,
     valid_seconds INTEGER,
     finish_seconds INTEGER,
     max_attempts INTEGER,
     data TEXT NOT NULL
   ) STRICT;

   CREATE INDEX templates_by_client ON templates (client_id);

   -- Alerts that a person acknowledged.
   CREATE TABLE alert_acks (
     key TEXT PRIMARY KEY,
     by TEXT,
     at_ms INTEGER NOT NULL,
     count INTEGER,
     note TEXT
   ) STRICT, WITHOUT ROWID;

   -- Counts by the minute (step_ms 60000) and by the hour (3600000).
   CREATE TABLE statistics (
     step_ms INTEGER NOT NULL,
     at_ms INTEGER NOT NULL,
     stored INTEGER NOT NULL DEFAULT 0,
     delivered INTEGER NOT NULL DEFAULT 0,
     completed INTEGER NOT NULL DEFAULT 0,
     -- COMPLETED_WITH_ERROR or UNKNOWN since then.
     failed INTEGER NOT NULL DEFAULT 0,
     -- The UNKNOWN ones of them.
     unknown INTEGER NOT NULL DEFAULT 0,
     cancelled INTEGER NOT NULL DEFAULT 0,
     -- Attempts that ended without an acknowledgement.
     unacknowledged INTEGER NOT NULL DEFAULT 0,
     -- The largest number; NULL: none was recorded.
     pending INTEGER,
     up_ms INTEGER NOT NULL DEFAULT 0,
     -- 32 counters of delivery times, as unsigned integers of 4 bytes; NULL: none.
     delivery BLOB,
     PRIMARY KEY (step_ms, at_ms)
   ) STRICT, WITHOUT ROWID;

   -- A trigger, so that each statement that changes a status counts in its own commit. Without IN, for which SQLite would fill a
   -- temporary table with each update of a message.
   CREATE TRIGGER counts_failures AFTER UPDATE OF status ON messages
   WHEN new.status = 'COMPLETED_WITH_ERROR' OR new.status = 'UNKNOWN' OR new.status = 'CANCELLED'
     OR old.status = 'COMPLETED_WITH_ERROR' OR old.status = 'UNKNOWN'
   BEGIN
     UPDATE statistics SET failed = failed - 1, unknown = unknown - (old.status = 'UNKNOWN')
       WHERE old.status IN ('COMPLETED_WITH_ERROR', 'UNKNOWN')
         AND (step_ms, at_ms) IN (VALUES (60000, old.changed_at_ms - old.changed_at_ms % 60000),
           (3600000, old.changed_at_ms - old.changed_at_ms % 3600000));
     INSERT INTO statistics (step_ms, at_ms, failed, unknown, cancelled)
       SELECT column1, new.changed_at_ms - new.changed_at_ms % column1, new.status <> 'CANCELLED', new.status = 'UNKNOWN',
         new.status = 'CANCELLED'
       FROM (VALUES (60000), (3600000))
       WHERE new.status IN ('COMPLETED_WITH_ERROR', 'UNKNOWN', 'CANCELLED')
       ON CONFLICT (step_ms, at_ms) DO UPDATE SET failed = failed + excluded.failed,
         unknown = unknown + excluded.unknown, cancelled = cancelled + excluded.cancelled;
   END;

   INSERT INTO sqlite_sequence VALUES ('messages', 0);

   -- The release that took each step. An earlier release reads it to name the release that the database needs.
   CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, release TEXT NOT NULL) STRICT;`,

  // Reason why the latest answer of the device during an attempt was refused.
  'ALTER TABLE attempts ADD COLUMN refused TEXT;',

  'ALTER TABLE device_settings ADD COLUMN max_bytes INTEGER;',
  // Whole duration of the pause that ends at busy_until_ms. Only the end is known for a pause from before this step.
  'ALTER TABLE devices ADD COLUMN busy_ms INTEGER; UPDATE devices SET busy_ms = 86400000 WHERE busy_until_ms IS NOT NULL;',
  // Same name of the column as in the code and in PostgreSQL.
  'ALTER TABLE terms RENAME COLUMN not_before_ms TO due_at_ms;',

  // Presence of devices that outlives a restart.
  `CREATE TABLE runs (
     id INTEGER PRIMARY KEY,
     release TEXT NOT NULL,
     started_ms INTEGER NOT NULL,
     -- Everything that happened up to this time is stored.
     alive_ms INTEGER NOT NULL,
     -- NULL while the run lasts. A lost run gets it from the next one.
     ended_ms INTEGER,
     how TEXT
   ) STRICT;

   CREATE TABLE sightings (
     device_id TEXT PRIMARY KEY,
     first_ms INTEGER NOT NULL,
     last_ms INTEGER NOT NULL,
     -- Run and transport of a period that was open at the last change; NULL: none was open.
     run_id INTEGER,
     transport TEXT,
     -- Moving average of the gaps between polls; NULL before the second poll.
     poll_seconds INTEGER
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE periods (
     run_id INTEGER NOT NULL,
     number INTEGER NOT NULL,
     device_id TEXT NOT NULL,
     transport TEXT NOT NULL,
     began_ms INTEGER NOT NULL,
     -- NULL while the period lasts. A period that its lost run left open ended with the run.
     ended_ms INTEGER,
     -- First subscription of the connection to its own commands.
     receives_ms INTEGER,
     address TEXT,
     session TEXT,
     version TEXT,
     reason TEXT,
     -- JSON
     detail TEXT,
     PRIMARY KEY (run_id, number)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX periods_of_device ON periods (device_id, began_ms);
   CREATE INDEX periods_by_age ON periods (began_ms);

   CREATE TABLE device_events (
     run_id INTEGER NOT NULL,
     number INTEGER NOT NULL,
     device_id TEXT NOT NULL,
     kind TEXT NOT NULL,
     at_ms INTEGER NOT NULL,
     last_ms INTEGER NOT NULL,
     count INTEGER NOT NULL,
     -- JSON
     detail TEXT NOT NULL,
     PRIMARY KEY (run_id, number)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX device_events_of_device ON device_events (device_id, at_ms);
   CREATE INDEX device_events_by_age ON device_events (at_ms);`,
  `CREATE TABLE device_service (
     device_id TEXT NOT NULL PRIMARY KEY,
     since_ms INTEGER NOT NULL,
     -- NULL: until a person ends it. A time that ended by its date stays until the next change of its device.
     until_ms INTEGER,
     reason TEXT NOT NULL,
     by TEXT
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE device_notes (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     device_id TEXT NOT NULL,
     at_ms INTEGER NOT NULL,
     by TEXT,
     text TEXT NOT NULL
   ) STRICT;
   CREATE INDEX device_notes_device ON device_notes (device_id, id);`,
  // Causes that need a person, the signals that belong to each, and what happened to each.
  `CREATE TABLE incidents (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     key TEXT NOT NULL,
     kind TEXT NOT NULL,
     state TEXT NOT NULL,
     started_ms INTEGER NOT NULL,
     -- A change names the value on which it is based.
     changed_ms INTEGER NOT NULL,
     ended_ms INTEGER,
     devices INTEGER NOT NULL,
     messages INTEGER NOT NULL,
     waiting INTEGER NOT NULL,
     most_devices INTEGER NOT NULL,
     most_messages INTEGER NOT NULL,
     ack_by TEXT,
     -- NULL: no person acknowledged or muted the incident.
     ack_ms INTEGER,
     ack_note TEXT,
     ack_devices INTEGER,
     ack_messages INTEGER,
     muted_until_ms INTEGER,
     reopened INTEGER NOT NULL,
     merged_into INTEGER
   ) STRICT;

   CREATE UNIQUE INDEX incidents_open ON incidents (key) WHERE ended_ms IS NULL;
   CREATE INDEX incidents_ended ON incidents (ended_ms) WHERE ended_ms IS NOT NULL;
   CREATE INDEX incidents_changed ON incidents (changed_ms, id);

   CREATE TABLE incident_signals (
     incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
     key TEXT NOT NULL,
     kind TEXT NOT NULL,
     device_id TEXT,
     message_id INTEGER,
     command TEXT,
     reason TEXT,
     address TEXT,
     first_ms INTEGER NOT NULL,
     missing_since_ms INTEGER,
     ended_ms INTEGER,
     count INTEGER,
     PRIMARY KEY (incident_id, key)
   ) STRICT, WITHOUT ROWID;

   CREATE UNIQUE INDEX incident_signals_open ON incident_signals (key) WHERE ended_ms IS NULL;
   CREATE INDEX incident_signals_of_device ON incident_signals (device_id) WHERE device_id IS NOT NULL;

   CREATE TABLE incident_lines (
     id INTEGER PRIMARY KEY,
     incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
     at_ms INTEGER NOT NULL,
     kind TEXT NOT NULL,
     by TEXT,
     text TEXT
   ) STRICT;

   CREATE INDEX incident_lines_of_incident ON incident_lines (incident_id);

   -- Thresholds of administrators. NULL: the default.
   CREATE TABLE incident_rules (
     kind TEXT PRIMARY KEY,
     is_enabled INTEGER NOT NULL,
     starts_at INTEGER,
     ends_at INTEGER,
     quiet_seconds INTEGER,
     min_messages INTEGER
   ) STRICT, WITHOUT ROWID;`,
  // Last login before the present visit.
  'ALTER TABLE clients ADD COLUMN previous_login_at_ms INTEGER',
]

export interface TakenStep {
  readonly number: number
  readonly steps: number
  readonly ms: number
}

/**
 * Runs the steps that a database lacks. A failed step is rolled back.
 *
 * @param onStep called after each step
 */
export function migrate(
  db: Database,
  steps: readonly string[] = MIGRATIONS,
  onStep: (step: TakenStep) => void = () => {},
): void {
  const before = db.pragma('user_version', { simple: true }) as number
  for (const [i, sql] of steps.entries()) {
    if (i < before) continue
    const number = i + 1
    const startMs = performance.now()
    db.transaction(() => {
      db.pragma(`user_version = ${number}`)
      db.pragma(`application_id = ${applicationId(steps.slice(0, number))}`)
      db.exec(sql)
      db.prepare('INSERT INTO schema_steps VALUES (?, ?)').run(number, release())
    }).immediate()
    onStep({ number, steps: steps.length, ms: Math.round(performance.now() - startMs) })
  }
}

/** Returns the fingerprint of steps as SQLite stores it: a signed integer of 32 bits. */
function applicationId(steps: readonly string[]): number {
  return Number.parseInt(schemaFingerprint(...steps), 16) | 0
}

/**
 * Returns true if a database has taken the steps of this list, up to its version.
 *
 * @param version number of steps of the database, at most the length of the list
 */
export function hasOwnSteps(db: Database, version: number): boolean {
  return db.pragma('application_id', { simple: true }) === applicationId(MIGRATIONS.slice(0, version))
}

/** Returns the release that took a step of a database; null if unknown. */
export function releaseOf(db: Database, step: number): string | null {
  try {
    const release = db.prepare<[number], string>('SELECT release FROM schema_steps WHERE number = ?')
    return release.pluck().get(step) ?? null
  } catch {
    return null
  }
}
