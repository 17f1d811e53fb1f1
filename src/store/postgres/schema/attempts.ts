/** Begins and ends attempts, and describes device lines, for the claims of leases and for polls. */
import { deadline, guarantee, outcome } from './codes.ts'

/**
 * Returns whether the next attempt with a message, for a deaf device, repeats the latest one. An attempt that ended as BUSY is not
 * repeated.
 */
const IS_REPEATED = `i.deaf AND q.max_attempts IS NULL AND q.counted > 0 AND q.attempt_outcome IS DISTINCT FROM ${outcome.BUSY}`
/** Growth of the number and the count of an attempt. */
const ATTEMPT_STEP = `(NOT (${IS_REPEATED}))::int`

export const ATTEMPT_FUNCTIONS = /* sql */ `
-- The verbs that call these functions have the settings of the planner.
-- Writes join on "delayed = (i.id IS NULL)", which is false. With the constant alone, a plan that was made while the table was
-- empty read the whole queue of all devices: 20 s for 125 claims over 300,000 rows.

-- The open attempt with a pending message as the contract describes it; null when there is none. A clock that was set back
-- makes an attempt no longer than its whole duration.
CREATE FUNCTION open_attempt(q pending, p_now bigint) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN q.attempt_until_ms IS NOT NULL THEN json_build_object(
    'messageId', q.id, 'number', q.attempts, 'counted', q.counted, 'maxAttempts', q.max_attempts,
    'remainingMs', CASE WHEN q.expires_at_ms IS NOT NULL THEN greatest(0, q.expires_at_ms - p_now) END,
    'finishSeconds', q.finish_seconds, 'atMs', q.attempt_at_ms,
    'runningMs', greatest(0, q.attempt_until_ms - greatest(p_now, q.attempt_at_ms))) END $$;

-- The open attempt with a pending message, or its latest one that ended as TIMEOUT; null when there is neither.
CREATE FUNCTION unanswered_attempt(q pending, p_now bigint) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN q.attempt_until_ms IS NULL AND q.attempt_outcome = ${outcome.TIMEOUT} THEN json_build_object(
      'messageId', q.id, 'number', q.attempts, 'counted', q.counted, 'maxAttempts', q.max_attempts,
      'remainingMs', NULL, 'finishSeconds', q.finish_seconds, 'atMs', q.attempt_at_ms, 'runningMs', 0)
    ELSE open_attempt(q, p_now) END $$;

-- The open attempts in some blocks of the table, and the number of its blocks.
CREATE FUNCTION open_attempts(p_from int, p_below int) RETURNS TABLE (attempts json, blocks int) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT (
      SELECT json_agg(json_build_object('device', q.device_id, 'attempt', open_attempt(q, now_ms()))) FROM pending q
      WHERE q.ctid >= format('(%s,0)', p_from)::tid AND q.ctid < format('(%s,0)', p_below)::tid AND q.attempt_until_ms IS NOT NULL),
    (pg_relation_size('pending') / current_setting('block_size')::int)::int;
END $$;

-- The state of a device line as the contract describes it.
CREATE FUNCTION line_state(p_device text, p_now bigint) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN json_build_object(
    'sinceDispatchMs', (SELECT greatest(0, p_now - l.dispatched_at_ms) FROM device_lines l
      WHERE l.device_id = p_device AND l.dispatched_at_ms IS NOT NULL),
    'attempt', (SELECT open_attempt(q, p_now) FROM pending q
      WHERE q.device_id = p_device AND NOT q.delayed AND q.id = (SELECT l.in_flight_id FROM device_lines l WHERE l.device_id = p_device)),
    'unfinished', (SELECT coalesce(json_agg(json_build_object('messageId', m.id,
        'forMs', greatest(0, least(m.finish_at_ms - p_now, m.finish_seconds * 1000::bigint))) ORDER BY m.id), '[]')
      FROM deadlines d CROSS JOIN LATERAL (SELECT m.id, m.finish_at_ms, m.finish_seconds FROM messages m WHERE m.id = d.message_id LIMIT 1) m
      -- The row of an earlier deadline of the message may still be there.
      WHERE d.device_id = p_device AND d.kind = ${deadline.FINISH} AND m.finish_at_ms = d.at_ms));
END $$;

-- Locks the lines of devices, always in the same order. Returns the number of lines that exist.
CREATE FUNCTION lock_lines(p_devices text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_found int;
BEGIN
  PERFORM 1 FROM device_lines l WHERE l.device_id = ANY(p_devices) ORDER BY l.device_id FOR NO KEY UPDATE;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  RETURN v_found;
END $$;

-- Moves messages whose delay is over to their places in the queue.
CREATE FUNCTION move_due(p_devices text[], p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pending q SET delayed = false WHERE q.delayed AND q.device_id = ANY(p_devices) AND q.due_at_ms <= p_now;
END $$;

-- Ends the delays that have lasted for their whole duration, of messages that were stored at a time that the clock is before.
-- p_elapsed_ms: time since the caller found that the clock was set back. Returns {devices, next_ms}: the devices with a message that
-- is due now, and the shortest duration of the other delays. A row that another transaction has locked is left for the next call.
CREATE FUNCTION end_delays(p_node int, p_elapsed_ms bigint) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_now bigint := now_ms(); v_devices text[]; v_next bigint;
BEGIN
  WITH over AS (
    SELECT q.device_id, q.id FROM pending q JOIN messages m ON m.id = q.id
    WHERE q.delayed AND q.due_at_ms > v_now AND m.created_at_ms > v_now AND q.due_at_ms - m.created_at_ms <= p_elapsed_ms
    LIMIT 1000 FOR UPDATE OF q SKIP LOCKED),
  moved AS (
    UPDATE pending q SET delayed = false FROM over o WHERE q.device_id = o.device_id AND q.delayed AND q.id = o.id RETURNING q.device_id)
  SELECT array_agg(DISTINCT v.device_id) INTO v_devices FROM moved v;
  INSERT INTO changes (origin, kind, subject) SELECT p_node, 'due', d FROM unnest(v_devices) d;
  SELECT min(q.due_at_ms - m.created_at_ms) INTO v_next FROM pending q JOIN messages m ON m.id = q.id
    WHERE q.delayed AND q.due_at_ms > v_now AND m.created_at_ms > v_now;
  RETURN json_build_object('devices', coalesce(to_json(v_devices), '[]'), 'next_ms', v_next);
END $$;

CREATE TYPE attempt_end AS (
  -- Position of the call in its batch.
  n int,
  device_id text COLLATE "C", id bigint, number int,
  -- Start of the attempt; null: any.
  at_ms bigint,
  outcome smallint
);
-- is_expired: the validity of the message is over, so its deadline is due now.
CREATE TYPE attempt_ended AS (ending attempt_end, transport text, is_expired boolean);

-- Ends open attempts. An attempt that is not open any longer is left out. The caller holds the locks of the lines.
CREATE FUNCTION end_attempts(p_now bigint, p_ends attempt_end[]) RETURNS attempt_ended[] LANGUAGE plpgsql AS $$
DECLARE v_ended attempt_ended[];
BEGIN
  IF p_ends IS NULL THEN RETURN '{}'; END IF;
  WITH e AS (
    UPDATE pending q SET attempt_until_ms = NULL, attempt_outcome = i.outcome, counted = q.counted - (i.outcome = ${outcome.BUSY})::int
    FROM unnest(p_ends) i
    WHERE q.device_id = i.device_id AND q.delayed = (i.id IS NULL) AND q.id = i.id AND q.attempts = i.number AND q.attempt_until_ms IS NOT NULL
      AND (i.at_ms IS NULL OR q.attempt_at_ms = i.at_ms)
    RETURNING i::attempt_end AS ending, q.attempt_transport, q.expires_at_ms <= p_now IS TRUE AS is_expired)
  SELECT coalesce(array_agg((e.ending, e.attempt_transport, e.is_expired)::attempt_ended), '{}') INTO v_ended FROM e;
  IF cardinality(v_ended) = 0 THEN RETURN v_ended; END IF;
  UPDATE messages m SET delivered_error = true FROM unnest(v_ended) e
    WHERE (e.ending).outcome = ${outcome.TIMEOUT} AND m.id = (e.ending).id AND NOT m.delivered_error;
  -- The deadline had been moved to the end of the attempt, which comes earlier now.
  INSERT INTO deadlines (at_ms, kind, message_id, device_id)
    SELECT p_now, ${deadline.EXPIRES}, (e.ending).id, (e.ending).device_id FROM unnest(v_ended) e WHERE e.is_expired ON CONFLICT DO NOTHING;
  RETURN v_ended;
END $$;

-- Describes the ends of attempts to their node, in the places of their calls.
CREATE FUNCTION ends_in_places(p_count int, p_ended attempt_ended[]) RETURNS json[] LANGUAGE sql IMMUTABLE AS $$
  SELECT in_places(p_count, ARRAY(SELECT ((e.ending).n,
    json_build_object('transport', e.transport, 'isExpired', e.is_expired))::placed FROM unnest(p_ended) e)) $$;

CREATE TYPE attempt_start AS (
  -- Position of the call in its batch.
  n int,
  device_id text COLLATE "C", id bigint, guarantee smallint, transport text, durations_ms double precision[], paced boolean, deaf boolean
);
CREATE TYPE attempt_started AS (
  start attempt_start, number int, counted int, max_attempts int, finish_seconds int, expires_at_ms bigint, at_ms bigint,
  -- The change of a NO message.
  change moved
);

-- Returns the attempts with the changes of their messages, without those whose message did not change. The verbs have no hash joins,
-- without which this would compare each attempt with each change.
CREATE FUNCTION with_changes(p_started attempt_started[], p_moved moved[]) RETURNS attempt_started[]
LANGUAGE sql IMMUTABLE SET enable_hashjoin = on AS $$
  SELECT ARRAY(
    SELECT (o.start, o.number, o.counted, o.max_attempts, o.finish_seconds, o.expires_at_ms, o.at_ms, v::moved)::attempt_started
    FROM unnest(p_started) o JOIN unnest(p_moved) v ON v.id = (o.start).id) $$;

-- Keeps an attempt that another one follows. An attempt that is repeated is not followed.
CREATE FUNCTION keep_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attempts (message_id, at_ms, number, transport, outcome, refused)
    VALUES (old.id, old.attempt_at_ms, old.attempts, old.attempt_transport, old.attempt_outcome, old.attempt_refused);
  RETURN NULL;
END $$;
CREATE TRIGGER keeps_attempts AFTER UPDATE OF attempts ON pending FOR EACH ROW
  WHEN (old.attempts > 0 AND new.attempts > old.attempts) EXECUTE FUNCTION keep_attempt();

-- Begins attempts with messages that have no open one. A message that left its queue meanwhile, or whose validity ended, is left
-- out: the write decides. The caller holds the locks of the lines. A NO message becomes DELIVERED. The time p_now was read after the statement
-- that found the messages: so an attempt is never earlier than the time at which an older message left the queue.
CREATE FUNCTION start_attempts(p_node int, p_now bigint, p_starts attempt_start[]) RETURNS attempt_started[] LANGUAGE plpgsql AS $$
DECLARE v_started attempt_started[]; v_once attempt_started[]; v_moved moved[];
BEGIN
  IF p_starts IS NULL THEN RETURN '{}'; END IF;
  WITH s AS (
    UPDATE pending q SET
      attempts = q.attempts + ${ATTEMPT_STEP},
      counted = q.counted + ${ATTEMPT_STEP},
      attempt_at_ms = p_now,
      attempt_until_ms = p_now + i.durations_ms[least(q.counted + ${ATTEMPT_STEP}, cardinality(i.durations_ms))]::bigint,
      attempt_transport = i.transport,
      attempt_outcome = NULL,
      attempt_refused = CASE WHEN ${IS_REPEATED} THEN q.attempt_refused END
    FROM unnest(p_starts) i
    WHERE i.guarantee <> ${guarantee.NO} AND q.device_id = i.device_id AND q.delayed = (i.id IS NULL) AND q.id = i.id AND q.attempt_until_ms IS NULL
      AND (q.expires_at_ms IS NULL OR q.expires_at_ms > p_now)
    RETURNING i::attempt_start AS start, q.attempts, q.counted, q.max_attempts, q.finish_seconds, q.expires_at_ms)
  SELECT coalesce(array_agg((s.start, s.attempts, s.counted, s.max_attempts, s.finish_seconds, s.expires_at_ms, p_now, NULL)::attempt_started), '{}')
    INTO v_started FROM s;
  IF EXISTS (SELECT 1 FROM unnest(p_starts) i WHERE i.guarantee = ${guarantee.NO}) THEN
    WITH s AS (
      DELETE FROM pending q USING unnest(p_starts) i
      WHERE i.guarantee = ${guarantee.NO} AND q.device_id = i.device_id AND q.delayed = (i.id IS NULL) AND q.id = i.id
        AND (q.expires_at_ms IS NULL OR q.expires_at_ms > p_now)
      RETURNING i::attempt_start AS start, q.attempts, q.counted, q.max_attempts, q.finish_seconds, q.expires_at_ms)
    SELECT coalesce(array_agg((s.start, s.attempts + 1, s.counted + 1, s.max_attempts, s.finish_seconds, s.expires_at_ms, p_now, NULL)::attempt_started), '{}')
      INTO v_once FROM s;
    v_moved := apply_moves(p_node, ARRAY(
      SELECT ((o.start).id, 'dispatchedOnce', NULL, NULL, (o.number, p_now, (o.start).transport, NULL, NULL)::latest_attempt,
        NULL)::move FROM unnest(v_once) o));
    v_started := v_started || with_changes(v_once, v_moved);
  END IF;
  IF cardinality(v_started) = 0 THEN RETURN v_started; END IF;
  UPDATE device_lines l SET
      in_flight_id = CASE WHEN (s.start).guarantee = ${guarantee.NO} THEN l.in_flight_id ELSE (s.start).id END,
      dispatched_at_ms = CASE WHEN (s.start).paced THEN p_now ELSE l.dispatched_at_ms END
    FROM unnest(v_started) s WHERE l.device_id = (s.start).device_id AND ((s.start).paced OR (s.start).guarantee <> ${guarantee.NO});
  RETURN v_started;
END $$;

-- Describes the beginning of an attempt to its node, without what the message holds.
CREATE FUNCTION started_json(s attempt_started) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', (s.start).id, 'guarantee', (s.start).guarantee, 'atMs', s.at_ms, 'number', s.number, 'counted', s.counted,
    'maxAttempts', s.max_attempts, 'finishSeconds', s.finish_seconds,
    'remainingMs', CASE WHEN s.expires_at_ms IS NOT NULL THEN greatest(0, s.expires_at_ms - s.at_ms) END,
    'change', CASE WHEN (s.change).id IS NOT NULL THEN to_json(s.change) END) $$;
`
