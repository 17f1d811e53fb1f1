/** Checks what SQLite cannot know: that the schema is Waybill's own, and that the rows keep its rules. Only reads. */
import Database from 'better-sqlite3'
import { ROLES } from '../../auth/clients.ts'
import { GUARANTEES, STATUSES } from '../../broker/status.ts'
import { MIGRATIONS, migrate } from './migrations.ts'

/** Compares a schema with the one that the migrations up to a version create. Returns a line for each difference. */
export function findSchemaDamage(db: Database.Database, version: number): string[] {
  const made = new Database(':memory:')
  migrate(made, MIGRATIONS.slice(0, version))
  const found = schemaOf(db)
  const findings = [...schemaOf(made)]
    .filter(([name, sql]) => found.get(name) !== sql)
    .map(([name]) => (found.has(name) ? `"${name}" is not as it was made` : `"${name}" is missing`))
  made.close()
  return findings
}

function schemaOf(db: Database.Database): Map<string, string> {
  const rows = db.prepare<[], [string, string]>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
  return new Map(rows.raw().all())
}

/** Returns the items of an IN list. */
const inList = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

/** Rules that a sound database never breaks: the finding, and the query part that selects the violating rows. */
const VIOLATIONS: readonly [finding: string, rows: string][] = [
  ['messages of an unknown status', `FROM messages WHERE status NOT IN (${inList(STATUSES)})`],
  ['messages of an unknown guarantee', `FROM messages WHERE guarantee NOT IN (${inList(GUARANTEES)})`],
  [
    'messages that are UNKNOWN, which only one with guarantee NO can be',
    `FROM messages WHERE status = 'UNKNOWN' AND guarantee <> 'NO'`,
  ],
  [
    'messages whose data is no JSON object',
    // SQLite reads JSON up to a depth of 1,000 only.
    `FROM messages WHERE data NOT GLOB '{*' OR NOT json_valid(data) AND NOT parses(data)`,
  ],
  [
    'commands of a device with a message that ONLY_LAST should have cancelled',
    `FROM (SELECT 1 FROM messages WHERE status = 'NOT_DELIVERED' GROUP BY device_id, command
           HAVING min(id) < max(id) FILTER (WHERE guarantee = 'ONLY_LAST'))`,
  ],
  ...['clients', 'templates'].map((table): [string, string] => [
    `${table} with an id that would be used again`,
    `FROM ${table} WHERE id > coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`,
  ]),
  ['templates of an unknown guarantee', `FROM templates WHERE guarantee NOT IN (${inList(GUARANTEES)})`],
  [
    'templates whose data is no JSON object',
    `FROM templates WHERE data NOT GLOB '{*' OR NOT json_valid(data) AND NOT parses(data)`,
  ],
  [
    'messages that the index by device lacks, or has under another device',
    `FROM messages m WHERE id <= (SELECT message_id FROM progress WHERE name = 'message_index')
       AND NOT EXISTS (SELECT 1 FROM device_messages WHERE device_id = m.device_id AND message_id = m.id)`,
  ],
  [
    'entries of the index by device without a message',
    `FROM device_messages d WHERE NOT EXISTS
       (SELECT 1 FROM messages WHERE id = d.message_id AND device_id = d.device_id)`,
  ],
  [
    'pending messages that the index of pending messages lacks',
    `FROM messages m WHERE id <= (SELECT message_id FROM progress WHERE name = 'message_index')
       AND status = 'NOT_DELIVERED' AND NOT EXISTS
         (SELECT 1 FROM waiting WHERE message_id = m.id AND device_id = m.device_id AND command = m.command)`,
  ],
  [
    'entries of the index of pending messages without a pending message',
    `FROM waiting w WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = w.message_id AND status = 'NOT_DELIVERED')`,
  ],
  ['clients of an unknown role', `FROM clients WHERE role NOT IN (${inList(ROLES)})`],
  ['rows that refer to a row that is not there', 'FROM pragma_foreign_key_check'],
]

/** Reads every row. Returns a line for each broken rule. */
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
