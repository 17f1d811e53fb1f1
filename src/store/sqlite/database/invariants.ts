/** Checks what SQLite cannot know: that the schema is Waybill's own, and that the rows obey its rules. Only reads. */
import Database from 'better-sqlite3'
import { ROLES } from '../../../auth/clients.ts'
import {
  CAUSES,
  GUARANTEES,
  STATUS_KINDS,
  STATUSES,
  type Status,
  TRANSITIONS,
} from '../../../broker/vocabulary/status.ts'
import { segmentOfId } from '../schema/device-segments.ts'
import { MIGRATIONS, migrate } from '../schema/migrations.ts'

/** Compares a schema with the schema that the migrations up to a version create. Returns a line per difference. */
export function findSchemaDamage(db: Database.Database, version: number): string[] {
  const found = schemaOf(db)
  return [...madeSchema(version)]
    .filter(([name, sql]) => found.get(name) !== sql)
    .map(([name]) => (found.has(name) ? `"${name}" is not as it was made` : `"${name}" is missing`))
}

const madeSchemas = new Map<number, Map<string, string>>()

/** Returns the schema that the migrations up to a version create. Each process creates it once: a backup checks two databases. */
function madeSchema(version: number): Map<string, string> {
  const known = madeSchemas.get(version)
  if (known) return known
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, version))
  const schema = schemaOf(db)
  db.close()
  madeSchemas.set(version, schema)
  return schema
}

function schemaOf(db: Database.Database): Map<string, string> {
  const rows = db.prepare<[], [string, string]>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
  return new Map(rows.raw().all())
}

/** Returns the items of an IN list. */
const inList = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

/** Returns the causes that a message with a status may have stored. Empty if the status implies the cause. */
function storedCauses(status: Status): readonly string[] {
  const causes = Object.values(TRANSITIONS).flatMap(({ to, cause }) => (to === status ? [cause] : []))
  switch (STATUS_KINDS[status]) {
    case 'pending':
      return ['', ...causes]
    case 'withdrawn':
    case 'unclear':
      return causes
    case 'delivered':
    case 'succeeded':
    case 'failed':
      return ['']
  }
}

const FITTING_CAUSES = STATUSES.map(
  (status) => `WHEN '${status}' THEN coalesce(cause, '') IN (${inList(storedCauses(status))})`,
).join(' ')

/** Rules that a sound database never breaks: the finding, and the query part that selects the violating rows. */
const VIOLATIONS: readonly [finding: string, rows: string][] = [
  ['messages of an unknown status', `FROM messages WHERE status NOT IN (${inList(STATUSES)})`],
  ['messages of an unknown guarantee', `FROM messages WHERE guarantee NOT IN (${inList(GUARANTEES)})`],
  [
    'messages whose cause does not fit their status',
    `FROM messages WHERE NOT CASE status ${FITTING_CAUSES} ELSE true END
       OR cause = '${TRANSITIONS.dispatchFailed.cause}' AND guarantee <> '${TRANSITIONS.dispatchFailed.guarantee}'`,
  ],
  [
    'messages whose data is no JSON object',
    // SQLite reads JSON up to a depth of 1,000 only.
    `FROM messages WHERE data NOT GLOB '{*' OR NOT json_valid(data) AND NOT parses(data)`,
  ],
  [
    'commands of a device with a message that ONLY_LAST should have cancelled',
    // A replayed message is pending again beside a younger ONLY_LAST message.
    `FROM (SELECT 1 FROM messages WHERE status = 'NOT_DELIVERED' GROUP BY device_id, command
           HAVING min(id) FILTER (WHERE cause IS NULL) < max(id) FILTER (WHERE guarantee = 'ONLY_LAST'))`,
  ],
  [
    'pending messages whose validity was over a minute before the newest message was stored',
    // A dispatched message keeps its status until its attempt ends. No deadline is processed while the clock is behind.
    `FROM terms t JOIN messages m ON m.id = t.message_id,
         (SELECT created_at_ms AS at_ms FROM messages ORDER BY id DESC LIMIT 1) newest
       WHERE m.status = 'NOT_DELIVERED' AND t.expires_at_ms < newest.at_ms - 60000
         AND m.polled_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE message_id = m.id)
         AND newest.at_ms = (SELECT max(created_at_ms) FROM messages)`,
  ],
  ['deadlines of an unknown kind', `FROM deadlines WHERE kind NOT IN ('EXPIRES', 'FINISH')`],
  [
    'changes to an unknown status or for an unknown cause',
    `FROM changes WHERE status NOT IN (${inList(STATUSES)}) OR cause NOT IN (${inList(CAUSES)})`,
  ],
  [
    'reports whose result is no JSON',
    'FROM reports WHERE result IS NOT NULL AND NOT json_valid(result) AND NOT parses(result)',
  ],
  ...['clients', 'templates', 'audit'].map((table): [string, string] => [
    `${table} with an id that would be used again`,
    `FROM ${table} WHERE id > coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`,
  ]),
  ['templates of an unknown guarantee', `FROM templates WHERE guarantee NOT IN (${inList(GUARANTEES)})`],
  [
    'templates whose data is no JSON object',
    `FROM templates WHERE data NOT GLOB '{*' OR NOT json_valid(data) AND NOT parses(data)`,
  ],
  [
    'lines of the audit trail whose detail is no JSON object',
    `FROM audit WHERE detail NOT GLOB '{*' OR NOT json_valid(detail)`,
  ],
  [
    'messages that the index by device lacks, or has under another device',
    `FROM messages m WHERE id <= (SELECT message_id FROM progress WHERE name = 'message_index')
       AND NOT EXISTS
         (SELECT 1 FROM device_messages WHERE segment = ${segmentOfId('m.id')} AND device_id = m.device_id AND message_id = m.id)`,
  ],
  [
    'entries of the index by device without a message',
    `FROM device_messages d WHERE NOT EXISTS
       (SELECT 1 FROM messages WHERE id = d.message_id AND device_id = d.device_id AND ${segmentOfId('id')} = d.segment)`,
  ],
  [
    'devices whose newest message is another one',
    `FROM (SELECT device_id, max(message_id) AS message_id FROM device_messages GROUP BY device_id) d
       FULL JOIN newest_messages n USING (device_id) WHERE d.message_id IS NOT n.message_id`,
  ],
  [
    'pending messages that the index of pending messages lacks',
    `FROM messages m WHERE id <= (SELECT message_id FROM progress WHERE name = 'message_index')
       AND status = 'NOT_DELIVERED' AND NOT EXISTS
         (SELECT 1 FROM waiting WHERE message_id = m.id AND device_id = m.device_id AND command = m.command
            AND bytes = octet_length(m.command) + octet_length(m.data))`,
  ],
  [
    'entries of the index of pending messages without a pending message',
    `FROM waiting w WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = w.message_id AND status = 'NOT_DELIVERED')`,
  ],
  ['clients of an unknown role', `FROM clients WHERE role NOT IN (${inList(ROLES)})`],
  ['rows that refer to a row that is not there', 'FROM pragma_foreign_key_check'],
]

/** Reads every row. Returns a line per broken rule. */
export function findContentDamage(db: Database.Database): string[] {
  db.function('parses', (text: string) => {
    try {
      return Number(JSON.parse(text) !== null)
    } catch {
      return 0
    }
  })
  return VIOLATIONS.map(([finding, rows]) => [
    db.prepare<[], number>(`SELECT count(*) ${rows}`).pluck().get(),
    finding,
  ])
    .filter(([count]) => count !== 0)
    .map((parts) => parts.join(' '))
}
