/** Creates the schema, or updates it to this release. Every start calls it; one node at a time does the work. */
import {
  DELIVERY_CAUSES,
  LISTED_CAUSES,
  SHOWN_CAUSES,
  TRANSITIONS,
  type Transition,
} from '../../../broker/vocabulary/status.ts'
import { PermanentStartError, StartError } from '../../../process/start-error.ts'
import { version } from '../../../process/version.ts'
import { schemaFingerprint } from '../../schema-fingerprint.ts'
import type { Connection } from '../database/connection.ts'
import { codeOf } from '../database/faults.ts'
import { ACKNOWLEDGEMENT_FUNCTIONS } from './acknowledgements.ts'
import { ADMIN_FUNCTIONS } from './admin.ts'
import { ATTEMPT_FUNCTIONS } from './attempts.ts'
import { AUDIT_FUNCTIONS } from './audit.ts'
import { CANCEL_FUNCTIONS } from './cancellations.ts'
import { CAUSE_CODES, GUARANTEE_CODES, STATUS_CODES } from './codes.ts'
import { DEADLINE_FUNCTIONS } from './deadlines.ts'
import { DEVICE_SERVICE } from './device-service.ts'
import { DEVICE_SETTINGS_FUNCTIONS } from './device-settings.ts'
import { DISPATCH_FUNCTIONS } from './dispatch.ts'
import { ENQUEUE_FUNCTIONS } from './enqueue.ts'
import { INCIDENT_SCHEMA } from './incidents.ts'
import { LIST_FUNCTIONS } from './lists.ts'
import { LOOKUP_FUNCTIONS } from './lookups.ts'
import { MAINTENANCE_FUNCTIONS } from './maintenance.ts'
import { NODE_FUNCTIONS } from './nodes.ts'
import { POLL_FUNCTIONS } from './polls.ts'
import { PRESENCE_FUNCTIONS, PRESENCE_TABLES } from './presence.ts'
import { PURGE_FUNCTIONS } from './purges.ts'
import { QUEUE_FUNCTIONS } from './queue.ts'
import { REPLAY_FUNCTIONS } from './replays.ts'
import { SESSION_FUNCTIONS, SESSION_TABLES } from './sessions.ts'
import { STATISTICS_FUNCTIONS, STATISTICS_TABLES } from './statistics.ts'
import { TABLES } from './tables.ts'
import { TELEMETRY_FUNCTIONS, TELEMETRY_TABLES } from './telemetry.ts'
import { TICKET_FUNCTIONS } from './tickets.ts'
import { TRANSITION_FUNCTIONS } from './transitions.ts'

/** Change of the schema, made once, in one transaction. */
export interface Step {
  readonly sql: string
  /** True if a node of an earlier release cannot use a schema with this step. */
  readonly isBreaking?: boolean
}

/** Steps of the schema, the oldest first. A released step never changes. */
export const STEPS: readonly Step[] = [
  {
    sql: [
      TABLES,
      AUDIT_FUNCTIONS,
      TRANSITION_FUNCTIONS,
      TICKET_FUNCTIONS,
      NODE_FUNCTIONS,
      QUEUE_FUNCTIONS,
      ENQUEUE_FUNCTIONS,
      CANCEL_FUNCTIONS,
      REPLAY_FUNCTIONS,
      ATTEMPT_FUNCTIONS,
      DISPATCH_FUNCTIONS,
      POLL_FUNCTIONS,
      ACKNOWLEDGEMENT_FUNCTIONS,
      DEADLINE_FUNCTIONS,
      DEVICE_SETTINGS_FUNCTIONS,
      LOOKUP_FUNCTIONS,
      PURGE_FUNCTIONS,
      MAINTENANCE_FUNCTIONS,
      ADMIN_FUNCTIONS,
      LIST_FUNCTIONS,
      STATISTICS_TABLES,
      STATISTICS_FUNCTIONS,
      SESSION_TABLES,
      SESSION_FUNCTIONS,
      PRESENCE_TABLES,
      PRESENCE_FUNCTIONS,
      TELEMETRY_TABLES,
      TELEMETRY_FUNCTIONS,
      DEVICE_SERVICE,
      INCIDENT_SCHEMA,
    ].join('\n'),
  },
]

/** Key of the lock for schema changes, which only one node at a time may make. */
const SCHEMA_LOCK = 0
/** Maximum time for which a start waits for a lock, in milliseconds. */
const LOCK_WAIT_MS = 10_000
const LOCK_NOT_AVAILABLE = '55P03'
/** Session that holds the lock. */
const HOLDER = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 7 AND objid = $1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

export interface MigrationOptions {
  readonly steps?: readonly Step[]
  /** Called when another node updates the database, so that this node waits. */
  readonly onWait?: () => void
}

/**
 * Creates or updates the schema, even while nodes of an earlier release use it. A node of an earlier release leaves a
 * later schema unchanged.
 *
 * @param connection connection without a limit for answers, because a step may rewrite a large table
 * @param schema name of the schema
 * @throws {PermanentStartError} when the schema has a breaking step of a later release, or was made by an unreleased build
 * @throws {StartError} when another node updates the database for longer than a start waits
 */
export async function migrateSchema(
  connection: Connection,
  schema: string,
  { steps = STEPS, onWait = () => {} }: MigrationOptions = {},
): Promise<void> {
  // A step that waits for a lock makes all nodes wait behind it.
  await connection.run("SELECT set_config('lock_timeout', $1, false)", [`${LOCK_WAIT_MS}ms`])
  await takeLock(connection, onWait)
  try {
    const exists = await connection.run('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
    // CREATE SCHEMA demands a right in the database even if the schema exists.
    if (exists.length === 0) await connection.run(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`)
    await connection.run(`CREATE TABLE IF NOT EXISTS schema_steps (step int PRIMARY KEY, release text NOT NULL,
      is_breaking boolean NOT NULL, at timestamptz NOT NULL DEFAULT now(), fingerprint text NOT NULL)`)
    const [row] = await connection.run<{ step: number; brokenBy: string | null }>(
      `SELECT coalesce(max(step), 0)::int AS step, max(release) FILTER (WHERE is_breaking AND step > $1) AS "brokenBy" FROM schema_steps`,
      [steps.length],
    )
    const { step: present, brokenBy } = row as { step: number; brokenBy: string | null }
    if (brokenBy !== null)
      throw new PermanentStartError(
        `waybill ${brokenBy} changed the database so that this release (${version()}) cannot use it: install that one`,
      )
    await refuseUnreleased(connection, schema, steps)
    for (const [at, { sql, isBreaking = false }] of steps.entries()) {
      if (at < present) continue
      // Several statements in one text are one transaction.
      await connection.run(
        `${sql}; INSERT INTO schema_steps VALUES (${at + 1}, '${version()}', ${isBreaking}, DEFAULT, '${schemaFingerprint(sql)}')`,
      )
    }
    if (present <= steps.length) await writeTransitions(connection)
  } finally {
    // A lost session has released the lock.
    await connection.run('SELECT pg_advisory_unlock(7, $1)', [SCHEMA_LOCK]).catch(() => {})
  }
}

/** Takes the lock for schema changes. @throws {StartError} when another session keeps it */
async function takeLock(connection: Connection, onWait: () => void): Promise<void> {
  const [row] = await connection.run<{ taken: boolean }>('SELECT pg_try_advisory_lock(7, $1) AS taken', [
    SCHEMA_LOCK,
  ])
  if (row?.taken) return
  onWait()
  try {
    await connection.run('SELECT pg_advisory_lock(7, $1)', [SCHEMA_LOCK])
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error
    const [holder] = await connection.run<{ pid: number }>(HOLDER, [SCHEMA_LOCK])
    throw new StartError(
      `another node updates the database (session ${holder?.pid ?? 'just ended'}): start this node when it is done`,
      error,
    )
  }
}

/** Refuses a schema whose steps differ from this release's. @throws {PermanentStartError} */
async function refuseUnreleased(
  connection: Connection,
  schema: string,
  steps: readonly Step[],
): Promise<void> {
  // The table of the first builds has no column for the fingerprint.
  const made = await connection.run<{ fingerprint: string | null }>(
    "SELECT to_jsonb(s) ->> 'fingerprint' AS fingerprint FROM schema_steps s WHERE step <= $1 ORDER BY step",
    [steps.length],
  )
  if (made.every(({ fingerprint }, at) => fingerprint === schemaFingerprint((steps[at] as Step).sql))) return
  throw new PermanentStartError(
    `schema ${schema} of the database was made by an unreleased build of waybill, whose steps this one does not have: start that build, use another database, or remove the schema with DROP SCHEMA "${schema}" CASCADE to begin with nothing`,
  )
}

async function writeTransitions(connection: Connection): Promise<void> {
  const rows = Object.entries(TRANSITIONS).map(
    ([name, { from, to, cause, guarantee }]: [string, Transition]) => ({
      name,
      from_statuses: from.map((status) => STATUS_CODES.of(status)),
      to_status: STATUS_CODES.of(to),
      cause: CAUSE_CODES.of(cause),
      guarantee: guarantee === undefined ? null : GUARANTEE_CODES.of(guarantee),
      is_shown: SHOWN_CAUSES.includes(cause),
      is_listed: LISTED_CAUSES.includes(cause),
      is_delivery: DELIVERY_CAUSES.includes(cause),
    }),
  )
  await connection.run(
    `INSERT INTO transition_kinds SELECT * FROM json_populate_recordset(NULL::transition_kinds, $1)
     ON CONFLICT (name) DO UPDATE SET from_statuses = excluded.from_statuses, to_status = excluded.to_status, cause = excluded.cause,
       guarantee = excluded.guarantee, is_shown = excluded.is_shown, is_listed = excluded.is_listed, is_delivery = excluded.is_delivery`,
    [JSON.stringify(rows)],
  )
}
