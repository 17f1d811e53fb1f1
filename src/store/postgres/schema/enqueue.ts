/**
 * Stores messages. A call that reads other messages is special: ONLY_LAST, `replaces`, an idempotency key. The node
 * puts at most one call for a device into a batch with a special call for that device.
 */
import { LINK_LIST } from '../../../broker/vocabulary/link-table.ts'
import { cause, deadline, guarantee, status } from './codes.ts'
import { SUBMITTED_COLUMNS, SUBMITTED_MEMBERS, SUBMITTED_VALUES } from './message-row.ts'
import { detailTexts } from './report.ts'
import { TERM_COLUMNS, TERM_MEMBERS, TERM_VALUES } from './terms.ts'

/** Members of `enqueue_call` with the earlier messages that a new message names. They have the names of `NewLinks`. */
const LINK_MEMBERS = LINK_LIST.map(({ name }) => `"${name}" bigint`).join(', ')
const HAS_LINKS = LINK_LIST.map(({ name }) => `c."${name}" IS NOT NULL`).join(' OR ')
const INSERT_LINKS = LINK_LIST.map(
  ({ name, table }) => `INSERT INTO ${table} (message_id, new_message_id)
      SELECT s.id, s.new_id FROM (
        SELECT m.id, v_ids[c.ordinality] AS new_id FROM unnest(v_calls) WITH ORDINALITY c JOIN messages m ON m.id = c."${name}"
        WHERE v_ids[c.ordinality] IS NOT NULL ORDER BY m.id FOR KEY SHARE OF m) s;`,
).join('\n    ')

export const ENQUEUE_FUNCTIONS = /* sql */ `
CREATE TYPE enqueue_call AS (
  ${SUBMITTED_MEMBERS}, bytes int,
  has_terms boolean, details boolean, ${TERM_MEMBERS},
  -- Limits of the queue. No limit of bytes: 0.
  max_messages bigint, max_bytes bigint,
  replaces bigint,
  -- Idempotency key.
  scope text, key text, fingerprint text,
  -- Earlier messages that this one names.
  ${LINK_MEMBERS},
  audit json
);

-- A pending message that leaves its queue when call n is stored. Its row is locked.
-- transport: of its open attempt.
CREATE TYPE leaving AS (n bigint, id bigint, device_id text, delayed boolean, bytes int, latest latest_attempt, transport text);

-- Returns the answer to each call with a key that was used before, and counts the repetition. Null for every other call.
CREATE FUNCTION known_keys(p_calls enqueue_call[]) RETURNS json[]
LANGUAGE sql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
  WITH known AS (
    UPDATE submissions s SET repeats = s.repeats + (s.fingerprint = c.fingerprint)::int
    FROM unnest(p_calls) WITH ORDINALITY c WHERE s.scope = c.scope AND s.key = c.key
    RETURNING c.ordinality AS n, CASE WHEN s.fingerprint = c.fingerprint
      THEN json_build_object('id', s.message_id, 'replayed', true) ELSE json_build_object('error', 'key-reused') END AS answer)
  SELECT in_places(cardinality(p_calls), ARRAY(SELECT (k.n, k.answer)::placed FROM known k)) $$;

-- Locks the pending messages that ONLY_LAST or replaces would cancel, in the order of device and id. An attempt that begins
-- meanwhile is in the result.
CREATE FUNCTION lock_leaving(p_calls enqueue_call[], p_answers json[]) RETURNS leaving[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_leaving leaving[];
BEGIN
  SELECT coalesce(array_agg((s.n, s.id, s.device_id, s.delayed, s.bytes, s.latest, s.transport)::leaving), '{}') INTO v_leaving FROM (
    SELECT c.ordinality AS n, q.id, q.device_id, q.delayed, q.bytes, latest_of(q, NULL) AS latest,
      CASE WHEN q.attempt_until_ms IS NOT NULL THEN q.attempt_transport END AS transport
    FROM unnest(p_calls) WITH ORDINALITY c
      -- ONLY_LAST reads the whole queue of its device, replaces one row.
      CROSS JOIN LATERAL (
        SELECT o.id FROM pending o WHERE c.guarantee = ${guarantee.ONLY_LAST} AND o.device_id = c.device_id AND o.command = c.command
        UNION SELECT c.replaces WHERE c.replaces IS NOT NULL) l
      -- By the index of the ids: a row that becomes due while this waits for its lock is found all the same, and IS NOT DISTINCT keeps
      -- the planner from the index of the devices, in which it would read the whole queue.
      JOIN pending q ON q.id = l.id AND q.device_id IS NOT DISTINCT FROM c.device_id
    WHERE (c.guarantee = ${guarantee.ONLY_LAST} OR c.replaces IS NOT NULL) AND p_answers[c.ordinality] IS NULL
    ORDER BY q.device_id, q.id FOR UPDATE OF q) s;
  RETURN v_leaving;
END $$;

-- Returns the answers with one for each call whose replaced message does not exist, was dispatched, or has ended otherwise
-- than CANCELLED.
CREATE FUNCTION check_replaced(p_calls enqueue_call[], p_answers json[], p_leaving leaving[]) RETURNS json[]
LANGUAGE sql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
  SELECT array_agg(CASE
      WHEN p_answers[r.n] IS NOT NULL OR r.replaces IS NULL THEN p_answers[r.n]
      WHEN r.status IS NULL THEN json_build_object('error', 'unknown-message')
      WHEN r.status <> ${status.CANCELLED} AND (r.status <> ${status.NOT_DELIVERED} OR r.attempts > 0)
        THEN json_build_object('error', 'handed-over', 'status', r.status, 'attempts', r.attempts)
    END ORDER BY r.n)
  FROM (
    SELECT c.ordinality AS n, c.replaces, m.status, coalesce((g.attempts[c.ordinality]#>>'{}')::int, m.attempts) AS attempts
    FROM (SELECT in_places(cardinality(p_calls), ARRAY(SELECT (l.n, to_json((l.latest).number))::placed FROM unnest(p_leaving) l
        WHERE l.id = (p_calls[l.n]).replaces)) AS attempts OFFSET 0) g
      CROSS JOIN unnest(p_calls) WITH ORDINALITY c
      LEFT JOIN LATERAL (SELECT m.status, m.attempts FROM messages m WHERE m.id = c.replaces AND m.device_id = c.device_id LIMIT 1) m ON true) r $$;

-- Returns what each call cancelled, in its place: {moved, withdrawn}. A group for each message needs no join of arrays.
CREATE FUNCTION cancelled_in_places(p_count int, p_leaving leaving[], p_moved moved[]) RETURNS json[] LANGUAGE sql IMMUTABLE AS $$
  SELECT in_places(p_count, ARRAY(
    SELECT (g.n, json_build_object('moved', json_agg(g.moved ORDER BY g.id) FILTER (WHERE g.moved IS NOT NULL),
        'withdrawn', json_agg(g.transport) FILTER (WHERE g.transport IS NOT NULL)))::placed
    FROM (
      SELECT u.id, max(u.n) AS n, max(u.transport) AS transport, (array_agg(u.moved) FILTER (WHERE u.moved IS NOT NULL))[1] AS moved
      FROM (
        SELECT l.id, l.n, l.transport, NULL::json AS moved FROM unnest(p_leaving) l
        UNION ALL SELECT m.id, NULL, NULL, to_json(m) FROM unnest(p_moved) m) u
      GROUP BY u.id) g
    GROUP BY g.n)) $$;

-- Returns the answers with queue-full for each call that its queue has no room for. Counts the queues of p_devices.
CREATE FUNCTION check_room(p_calls enqueue_call[], p_answers json[], p_leaving leaving[], p_devices text[]) RETURNS json[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_call record; v_device text; v_gone record; v_count bigint; v_bytes bigint;
BEGIN
  FOR v_call IN
    SELECT c.ordinality AS n, c.device_id, c.bytes, c.max_messages, c.max_bytes FROM unnest(p_calls) WITH ORDINALITY c
    WHERE c.device_id = ANY(p_devices) AND p_answers[c.ordinality] IS NULL ORDER BY c.device_id, c.ordinality
  LOOP
    IF v_device IS DISTINCT FROM v_call.device_id THEN
      v_device := v_call.device_id;
      SELECT count(*), coalesce(sum(q.bytes), 0) INTO v_count, v_bytes FROM pending q WHERE q.device_id = v_device;
    END IF;
    SELECT count(*) AS count, coalesce(sum(l.bytes), 0) AS bytes INTO v_gone FROM unnest(p_leaving) l WHERE l.n = v_call.n;
    v_count := v_count - v_gone.count;
    v_bytes := v_bytes - v_gone.bytes;
    IF has_room(v_count, v_bytes, v_call.bytes, v_call.max_messages, v_call.max_bytes) THEN
      v_count := v_count + 1;
      v_bytes := v_bytes + v_call.bytes;
    ELSE
      p_answers[v_call.n] := json_build_object('error', 'queue-full', 'waiting', v_count, 'bytes', v_bytes);
    END IF;
  END LOOP;
  RETURN p_answers;
END $$;

-- Stores messages. Returns {id} for each, with moved, withdrawn and line where it cancelled messages or has an audit line.
-- A repeated key: {id, replayed}. A refused call: {error}, and the state of the queue or of the replaced message.
CREATE FUNCTION enqueue(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE
  v_now bigint; v_calls enqueue_call[]; v_answers json[]; v_leaving leaving[] := '{}'; v_moved moved[] := '{}';
  v_places bigint[]; v_byte_places bigint[]; v_crowded text[]; v_ids bigint[]; v_lines json[];
  v_gone json[]; v_cancelled json[];
  v_has_keys boolean; v_has_links boolean; v_cancels boolean; v_has_audit boolean; v_has_validity boolean;
BEGIN
  SELECT array_agg(c), bool_or(c.key IS NOT NULL), bool_or(c.guarantee = ${guarantee.ONLY_LAST} OR c.replaces IS NOT NULL), bool_or(c.audit IS NOT NULL),
      bool_or(c.valid_seconds IS NOT NULL), bool_or(${HAS_LINKS})
    INTO v_calls, v_has_keys, v_cancels, v_has_audit, v_has_validity, v_has_links FROM json_populate_recordset(NULL::enqueue_call, p_calls) c;
  -- One writer at a time for each device. All calls lock in the order of the hashes, so two calls never wait for each other.
  PERFORM pg_advisory_xact_lock(7, h) FROM (SELECT DISTINCT hashtext(c.device_id) AS h FROM unnest(v_calls) c ORDER BY 1) s;
  IF v_has_keys THEN
    -- A second submit with a key waits here for the commit of the first one.
    PERFORM pg_advisory_xact_lock(8, h) FROM (
      SELECT DISTINCT hashtext(c.scope || ' ' || c.key) AS h FROM unnest(v_calls) c WHERE c.key IS NOT NULL ORDER BY 1) s;
    v_answers := known_keys(v_calls);
  END IF;
  IF v_cancels THEN
    v_leaving := lock_leaving(v_calls, v_answers);
    v_answers := check_replaced(v_calls, v_answers, v_leaving);
    v_gone := in_places(cardinality(v_calls), ARRAY(
      SELECT (l.n, json_build_object('count', count(*), 'bytes', sum(l.bytes)))::placed FROM unnest(v_leaving) l GROUP BY l.n));
  END IF;
  -- The ends of a queue give an upper bound of its length and bytes: most queues need no count.
  SELECT array_agg(b.last + b.rank ORDER BY b.n), array_agg(b.last_byte + b.total ORDER BY b.n),
    array_agg(DISTINCT b.device_id) FILTER (WHERE v_answers[b.n] IS NULL AND (
      b.last - b.first + b.rank - b.gone >= b.max_messages
      OR (b.max_bytes > 0 AND b.last_byte - b.first_byte + b.total - b.gone_bytes > b.max_bytes)))
    INTO v_places, v_byte_places, v_crowded
  FROM (
    SELECT c.ordinality AS n, c.device_id, c.max_messages, c.max_bytes, row_number() OVER w AS rank, sum(c.bytes) OVER w AS total,
      coalesce(greatest(a.place, b.place), 0) AS last, coalesce(greatest(a.bytes_place, b.bytes_place), 0) AS last_byte,
      coalesce(least(d.place, e.place), 1) AS first, coalesce(least(d.byte, e.byte), 0) AS first_byte,
      coalesce((v_gone[c.ordinality]->>'count')::bigint, 0) AS gone, coalesce((v_gone[c.ordinality]->>'bytes')::bigint, 0) AS gone_bytes
    FROM unnest(v_calls) WITH ORDINALITY c
      LEFT JOIN LATERAL (SELECT q.place, q.bytes_place FROM pending q WHERE q.device_id = c.device_id AND NOT q.delayed ORDER BY q.id DESC LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT q.place, q.bytes_place FROM pending q WHERE q.device_id = c.device_id AND q.delayed ORDER BY q.id DESC LIMIT 1) b ON true
      LEFT JOIN LATERAL (SELECT q.place, q.bytes_place - q.bytes AS byte FROM pending q WHERE q.device_id = c.device_id AND NOT q.delayed ORDER BY q.id LIMIT 1) d ON true
      LEFT JOIN LATERAL (SELECT q.place, q.bytes_place - q.bytes AS byte FROM pending q WHERE q.device_id = c.device_id AND q.delayed ORDER BY q.id LIMIT 1) e ON true
    WINDOW w AS (PARTITION BY c.device_id ORDER BY c.ordinality)) b;
  IF v_crowded IS NOT NULL THEN v_answers := check_room(v_calls, v_answers, v_leaving, v_crowded); END IF;
  v_now := now_ms();
  SELECT array_agg(CASE WHEN v_answers[n] IS NULL THEN nextval('message_ids') END ORDER BY n) INTO v_ids FROM generate_series(1, cardinality(v_calls)) n;
  IF cardinality(v_leaving) > 0 THEN
    SELECT coalesce(array_agg(l), '{}') INTO v_leaving FROM unnest(v_leaving) l WHERE v_ids[l.n] IS NOT NULL;
    DELETE FROM pending q USING unnest(v_leaving) l WHERE q.device_id = l.device_id AND q.delayed = l.delayed AND q.id = l.id;
    v_moved := apply_moves(p_node, (SELECT coalesce(array_agg((l.id, 'superseded', NULL, v_ids[l.n], l.latest, NULL)::move), '{}')
      FROM unnest(v_leaving) l));
  END IF;
  INSERT INTO messages (id, created_at_ms, changed_at_ms, ${SUBMITTED_COLUMNS}, ${TERM_COLUMNS}, has_terms, details)
    SELECT v_ids[c.ordinality], v_now, v_now, ${SUBMITTED_VALUES}, ${TERM_VALUES}, c.has_terms, c.details
    FROM unnest(v_calls) WITH ORDINALITY c WHERE v_ids[c.ordinality] IS NOT NULL;
  INSERT INTO pending (device_id, delayed, id, place, bytes_place, bytes, guarantee, command, expires_at_ms, due_at_ms, finish_seconds, max_attempts)
    SELECT c.device_id, c.delay_seconds > 0 IS TRUE, v_ids[c.ordinality], v_places[c.ordinality], v_byte_places[c.ordinality], c.bytes, c.guarantee, c.command,
      v_now + c.valid_seconds * 1000::bigint, v_now + c.delay_seconds * 1000::bigint, c.finish_seconds, c.max_attempts
    FROM unnest(v_calls) WITH ORDINALITY c WHERE v_ids[c.ordinality] IS NOT NULL;
  INSERT INTO changes (origin, message_id, tmp_id, until_ms, status, cause, subject, producer_id, content)
    SELECT p_node, v_ids[c.ordinality], c.tmp_id, v_now + c.valid_seconds * 1000::bigint, ${status.NOT_DELIVERED}, ${cause.STORED}, c.device_id, c.producer_id,
      CASE WHEN c.details THEN json_build_object(${detailTexts(() => 'NULL')}, 'result', NULL, 'attempts', 0, 'atMs', v_now) END
    FROM unnest(v_calls) WITH ORDINALITY c WHERE v_ids[c.ordinality] IS NOT NULL;
  IF v_has_validity THEN
    INSERT INTO deadlines (at_ms, kind, message_id, device_id)
      SELECT v_now + c.valid_seconds * 1000::bigint, ${deadline.EXPIRES}, v_ids[c.ordinality], c.device_id
      FROM unnest(v_calls) WITH ORDINALITY c WHERE v_ids[c.ordinality] IS NOT NULL AND c.valid_seconds IS NOT NULL;
  END IF;
  IF v_has_keys THEN
    INSERT INTO submissions (scope, key, fingerprint, message_id, at_ms)
      SELECT c.scope, c.key, c.fingerprint, v_ids[c.ordinality], v_now
      FROM unnest(v_calls) WITH ORDINALITY c WHERE v_ids[c.ordinality] IS NOT NULL AND c.key IS NOT NULL;
  END IF;
  IF v_has_links THEN
    -- A message that was purged meanwhile has no link. The locks, in the order in which a purge takes its own, keep a purge from
    -- removing the links of a message before this one is stored.
    ${INSERT_LINKS}
  END IF;
  IF v_has_audit THEN
    SELECT array_agg(CASE WHEN v_ids[c.ordinality] IS NOT NULL THEN add_audit_line(with_detail(c.audit, 'messageId', v_ids[c.ordinality])) END ORDER BY c.ordinality)
      INTO v_lines FROM unnest(v_calls) WITH ORDINALITY c;
  END IF;
  IF v_lines IS NULL AND cardinality(v_leaving) = 0 THEN
    RETURN (SELECT json_agg(coalesce(v_answers[n], json_build_object('id', v_ids[n])) ORDER BY n) FROM generate_series(1, cardinality(v_ids)) n);
  END IF;
  v_cancelled := cancelled_in_places(cardinality(v_ids), v_leaving, v_moved);
  RETURN (SELECT json_agg(coalesce(v_answers[n], json_build_object('id', v_ids[n], 'line', v_lines[n],
      'moved', v_cancelled[n]->'moved', 'withdrawn', v_cancelled[n]->'withdrawn')) ORDER BY n)
    FROM generate_series(1, cardinality(v_ids)) n);
END $$;
`
