/**
 * The only function that changes the status of messages. Every other function calls it, after a decision by the row in
 * `pending` (or, for a message that is not pending, by the status alone).
 */
import { deadline, status } from './codes.ts'
import { detailTexts, STORED_TEXTS, TEXT_MEMBERS, textColumns } from './report.ts'

export const TRANSITION_FUNCTIONS = /* sql */ `
-- The latest attempt with a message. Number 0: there was none.
CREATE TYPE latest_attempt AS (number int, at_ms bigint, transport text, outcome smallint, refused text);

-- The latest attempt with a pending message. p_outcome: what it becomes if it is open.
CREATE FUNCTION latest_of(q pending, p_outcome smallint) RETURNS latest_attempt LANGUAGE sql IMMUTABLE AS $$
  SELECT (q.attempts, q.attempt_at_ms, q.attempt_transport,
    CASE WHEN q.attempt_until_ms IS NULL THEN q.attempt_outcome ELSE p_outcome END, q.attempt_refused)::latest_attempt $$;

-- What a device reports with an acknowledgement. Null replaces nothing.
CREATE TYPE device_report AS (${TEXT_MEMBERS}, result text, result_dropped boolean);

-- One change of a status, by its name in transition_kinds.
CREATE TYPE move AS (
  id bigint,
  name text,
  -- The client that caused the change; null when the device or the broker did.
  changed_by text,
  superseded_by bigint,
  -- The latest attempt with a message that leaves its queue; null leaves the stored one.
  latest latest_attempt,
  report device_report
);

-- A change that was made, with all that its observers need.
CREATE TYPE moved AS (
  id bigint,
  name text,
  device_id text,
  status smallint,
  cause smallint,
  tmp_id bigint,
  producer_id text,
  details json,
  attempts int,
  created_at_ms bigint,
  changed_at_ms bigint,
  finish_at_ms bigint,
  -- Null when the message has no validity.
  expires_at_ms bigint,
  -- The message has a finish time.
  has_finish boolean,
  -- The change is the first one by which the device has the message.
  is_first_delivery boolean,
  changed_by text,
  -- Number of the change in the journal.
  seq bigint
);

-- The time of a change: at least a millisecond after the change before, so that the times of a message show the order.
CREATE FUNCTION later(m messages, p_now bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(p_now, m.changed_at_ms + (m.status <> ${status.NOT_DELIVERED})::int) $$;

-- Changes statuses, and writes the journal, the history and the finish deadlines. A move that the present status does not
-- allow changes nothing and is not returned. Never moves a message twice in one call.
CREATE FUNCTION apply_moves(p_node int, p_moves move[]) RETURNS moved[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_now bigint := now_ms(); v_moved moved[];
BEGIN
  IF cardinality(p_moves) = 0 THEN RETURN '{}'; END IF;
  WITH changed AS (
    UPDATE messages m SET
      status = k.to_status,
      cause = CASE WHEN k.is_shown THEN k.cause END,
      changed_at_ms = later(m, v_now),
      changed_by = v.changed_by,
      superseded_by = coalesce(v.superseded_by, m.superseded_by),
      attempts = coalesce((v.latest).number, m.attempts),
      attempt_at_ms = CASE WHEN (v.latest).number IS NULL THEN m.attempt_at_ms ELSE (v.latest).at_ms END,
      attempt_transport = CASE WHEN (v.latest).number IS NULL THEN m.attempt_transport ELSE (v.latest).transport END,
      attempt_outcome = CASE WHEN (v.latest).number IS NULL THEN m.attempt_outcome ELSE (v.latest).outcome END,
      attempt_refused = CASE WHEN (v.latest).number IS NULL THEN m.attempt_refused ELSE (v.latest).refused END,
      broken_at_ms = CASE WHEN k.name = 'dispatchFailed' THEN later(m, v_now) ELSE m.broken_at_ms END,
      delivered_at_ms = CASE WHEN k.is_delivery THEN coalesce(m.delivered_at_ms, later(m, v_now)) ELSE m.delivered_at_ms END,
      delivered_by = CASE WHEN k.is_delivery AND m.delivered_at_ms IS NULL AND k.to_status = ${status.DELIVERED} THEN v.changed_by ELSE m.delivered_by END,
      finish_at_ms = CASE WHEN k.to_status = ${status.DELIVERED} AND m.finish_seconds > 0 THEN v_now + m.finish_seconds * 1000::bigint END,
      ${STORED_TEXTS},
      result = CASE WHEN (v.report).result IS NOT NULL OR (v.report).result_dropped THEN (v.report).result ELSE m.result END,
      result_dropped = CASE WHEN (v.report).result IS NOT NULL OR (v.report).result_dropped THEN coalesce((v.report).result_dropped, false)
        ELSE m.result_dropped END
    FROM unnest(p_moves) v JOIN transition_kinds k ON k.name = v.name
    WHERE m.id = v.id AND m.status = ANY(k.from_statuses) AND (k.guarantee IS NULL OR k.guarantee = m.guarantee)
    RETURNING m.id, k.name, m.device_id, m.status, k.cause AS move_cause, m.tmp_id, m.producer_id, m.details, ${textColumns('m')}, m.result,
      m.attempts, m.created_at_ms, m.changed_at_ms, m.finish_at_ms, m.expires_at_ms, m.finish_seconds > 0 IS TRUE AS has_finish,
      k.is_delivery AND m.delivered_at_ms = m.changed_at_ms AS is_first_delivery, m.changed_by)
  SELECT coalesce(array_agg((c.id, c.name, c.device_id, c.status, c.move_cause, c.tmp_id, c.producer_id,
      CASE WHEN c.details THEN json_build_object(${detailTexts((column) => `c.${column}`)}, 'result', c.result, 'attempts', c.attempts, 'atMs', c.changed_at_ms) END,
      c.attempts, c.created_at_ms, c.changed_at_ms, c.finish_at_ms, c.expires_at_ms, c.has_finish, c.is_first_delivery, c.changed_by,
      nextval('change_numbers'))::moved), '{}')
    INTO v_moved FROM changed c;
  IF cardinality(v_moved) = 0 THEN RETURN v_moved; END IF;
  INSERT INTO changes (seq, origin, message_id, tmp_id, until_ms, status, cause, subject, producer_id, content)
    SELECT c.seq, p_node, c.id, c.tmp_id, CASE WHEN c.status = ${status.NOT_DELIVERED} THEN c.expires_at_ms ELSE c.finish_at_ms END, c.status, c.cause, c.device_id,
      c.producer_id, c.details FROM unnest(v_moved) c;
  INSERT INTO deadlines (at_ms, kind, message_id, device_id)
    SELECT c.finish_at_ms, ${deadline.FINISH}, c.id, c.device_id FROM unnest(v_moved) c WHERE c.finish_at_ms IS NOT NULL ON CONFLICT DO NOTHING;
  INSERT INTO changes_of_message (message_id, at_ms, status, cause, changed_by)
    SELECT c.id, c.changed_at_ms, c.status, c.cause, c.changed_by
    FROM unnest(v_moved) c JOIN transition_kinds k ON k.name = c.name WHERE k.is_listed;
  RETURN v_moved;
END $$;
`
