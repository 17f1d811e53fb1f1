/** Creates the tables and functions of the statistics: counts per minute and per hour. */
import { FAILED_STATUSES } from '../../../broker/vocabulary/status.ts'
import { codesOf, STATUS_CODES, status } from './codes.ts'

const { CANCELLED, UNKNOWN } = status
const FAILED = codesOf(STATUS_CODES, FAILED_STATUSES)

export const STATISTICS_TABLES = /* sql */ `
CREATE TABLE statistics (
  -- 60000 or 3600000.
  step_ms int NOT NULL,
  at_ms bigint NOT NULL,
  stored bigint NOT NULL DEFAULT 0,
  delivered bigint NOT NULL DEFAULT 0,
  completed bigint NOT NULL DEFAULT 0,
  -- COMPLETED_WITH_ERROR or UNKNOWN since then.
  failed bigint NOT NULL DEFAULT 0,
  -- The UNKNOWN ones of them.
  unknown bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  -- Attempts that ended without an acknowledgement.
  unacknowledged bigint NOT NULL DEFAULT 0,
  -- The largest number; null: none was recorded.
  pending bigint,
  up_ms bigint NOT NULL DEFAULT 0,
  -- End of the time that up_ms counts, so that two nodes do not count the same time.
  up_to_ms bigint NOT NULL DEFAULT 0,
  -- 32 counters of delivery times; null: none.
  delivery bigint[],
  PRIMARY KEY (step_ms, at_ms)
) WITH (fillfactor = 50);

-- Failures and cancellations that are not in the table statistics yet. A transaction that changes a status only adds a row: a
-- row of the statistics that it locked would make the other nodes wait, or end in a deadlock.
CREATE TABLE statistic_changes (
  at_ms bigint NOT NULL,
  failed int NOT NULL,
  unknown int NOT NULL,
  cancelled int NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`

export const STATISTICS_FUNCTIONS = /* sql */ `
-- Counts a message that failed or was cancelled, and takes a failure back that the message leaves.
CREATE FUNCTION count_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.status IN (${FAILED}) THEN
    INSERT INTO statistic_changes VALUES (old.changed_at_ms, -1, -(old.status = ${UNKNOWN})::int, 0);
  END IF;
  IF new.status IN (${FAILED}, ${CANCELLED}) THEN
    INSERT INTO statistic_changes
      VALUES (new.changed_at_ms, (new.status <> ${CANCELLED})::int, (new.status = ${UNKNOWN})::int, (new.status = ${CANCELLED})::int);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER counts_failures AFTER UPDATE OF status ON messages FOR EACH ROW
  WHEN (new.status IN (${FAILED}, ${CANCELLED}) OR old.status IN (${FAILED}))
  EXECUTE FUNCTION count_failure();

CREATE TYPE counted_minute AS (
  at_ms bigint, stored bigint, delivered bigint, completed bigint, unacknowledged bigint, pending bigint,
  up_from_ms bigint, up_to_ms bigint, delivery bigint[]
);

-- Adds the counts of a node, and the failures since the previous call of any node. One node at a time.
CREATE FUNCTION add_statistics(p_minutes json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE m counted_minute; v_step int;
BEGIN
  PERFORM pg_advisory_xact_lock(7, 5);
  FOR m IN SELECT * FROM json_populate_recordset(NULL::counted_minute, p_minutes) LOOP
    FOREACH v_step IN ARRAY '{60000, 3600000}'::int[] LOOP
      INSERT INTO statistics AS s (step_ms, at_ms, stored, delivered, completed, unacknowledged, pending, up_ms, up_to_ms, delivery)
        VALUES (v_step, m.at_ms - m.at_ms % v_step, m.stored, m.delivered, m.completed, m.unacknowledged, m.pending,
          m.up_to_ms - m.up_from_ms, m.up_to_ms, m.delivery)
        ON CONFLICT (step_ms, at_ms) DO UPDATE SET
          stored = s.stored + excluded.stored, delivered = s.delivered + excluded.delivered,
          completed = s.completed + excluded.completed, unacknowledged = s.unacknowledged + excluded.unacknowledged,
          pending = greatest(s.pending, excluded.pending),
          up_ms = least(s.step_ms, s.up_ms + greatest(0, m.up_to_ms - greatest(m.up_from_ms, s.up_to_ms))),
          up_to_ms = greatest(s.up_to_ms, m.up_to_ms),
          delivery = CASE WHEN s.delivery IS NULL OR excluded.delivery IS NULL THEN coalesce(s.delivery, excluded.delivery)
            ELSE ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
                       FROM unnest(s.delivery, excluded.delivery) WITH ORDINALITY u (a, b, n) ORDER BY n) END;
    END LOOP;
  END LOOP;
  WITH gone AS (DELETE FROM statistic_changes RETURNING *),
  sums AS (
    SELECT t.step, g.at_ms - g.at_ms % t.step AS at_ms, sum(g.failed) AS failed, sum(g.unknown) AS unknown, sum(g.cancelled) AS cancelled
    FROM gone g, (VALUES (60000), (3600000)) t (step) GROUP BY 1, 2)
  INSERT INTO statistics AS s (step_ms, at_ms, failed, unknown, cancelled)
    -- A failure of a minute that was removed needs no row.
    SELECT u.step, u.at_ms, u.failed, u.unknown, u.cancelled FROM sums u
    WHERE u.failed > 0 OR u.cancelled > 0 OR EXISTS (SELECT FROM statistics e WHERE e.step_ms = u.step AND e.at_ms = u.at_ms)
    ON CONFLICT (step_ms, at_ms) DO UPDATE SET failed = s.failed + excluded.failed, unknown = s.unknown + excluded.unknown,
      cancelled = s.cancelled + excluded.cancelled;
END $$;
`
