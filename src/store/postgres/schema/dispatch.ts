/** Grants leases, and claims messages for their connections. */
import { outcome } from './codes.ts'

export const DISPATCH_FUNCTIONS = /* sql */ `
CREATE TYPE claim_call AS (
  device_id text COLLATE "C", fence bigint, transport text, durations_ms double precision[], paced boolean, deaf boolean,
  ended_id bigint, ended_number int, ended_at_ms bigint, ended_outcome smallint
);
-- What a claim finds: lost, inFlight, empty, or a message to take.
CREATE TYPE claim_look AS (n int, kind text, attempt json, due_in_ms bigint, start attempt_start);

-- Takes the head of each queue for one attempt. Each device occurs once. Returns {is}, with the end of the attempt that the
-- call ended; the texts of a message follow by with_texts.
CREATE FUNCTION claim(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
  v_calls claim_call[]; v_devices text[]; v_now bigint; v_ended attempt_ended[]; v_left int[]; v_looks claim_look[]; v_found claim_look[] := '{}';
  v_started attempt_started[]; v_begun attempt_started[] := '{}'; v_rounds int := 0; v_ends json[];
BEGIN
  SELECT array_agg(c), array_agg(c.device_id) INTO v_calls, v_devices FROM json_populate_recordset(NULL::claim_call, p_calls) c;
  PERFORM lock_lines(v_devices);
  v_now := now_ms();
  v_ended := end_attempts(v_now, (
    SELECT array_agg((c.n, c.device_id, c.ended_id, c.ended_number, c.ended_at_ms, c.ended_outcome)::attempt_end)
    FROM unnest(v_calls) WITH ORDINALITY c(device_id, fence, transport, durations_ms, paced, deaf,
      ended_id, ended_number, ended_at_ms, ended_outcome, n)
    WHERE c.ended_id IS NOT NULL AND EXISTS (SELECT 1 FROM device_lines l
      WHERE l.device_id = c.device_id AND l.node_id = p_node AND l.fence = c.fence AND l.in_flight_id = c.ended_id)));
  PERFORM move_due(v_devices, v_now);
  LOOP
    SELECT array_agg((c.n,
        CASE WHEN l.is_mine IS NULL THEN 'lost' WHEN f.attempt IS NOT NULL THEN 'inFlight' WHEN h.id IS NULL THEN 'empty' ELSE 'message' END,
        f.attempt,
        CASE WHEN l.is_mine AND f.attempt IS NULL AND h.id IS NULL THEN (
          SELECT min(q.due_at_ms) - v_now FROM pending q WHERE q.device_id = c.device_id AND q.delayed) END,
        CASE WHEN h.id IS NOT NULL THEN
          (c.n, c.device_id, h.id, h.guarantee, c.transport, c.durations_ms, c.paced, c.deaf)::attempt_start END)::claim_look)
      INTO v_looks
      FROM unnest(v_calls) WITH ORDINALITY c(device_id, fence, transport, durations_ms, paced, deaf,
        ended_id, ended_number, ended_at_ms, ended_outcome, n)
      LEFT JOIN LATERAL (SELECT true AS is_mine, l.in_flight_id FROM device_lines l
        WHERE l.device_id = c.device_id AND l.node_id = p_node AND l.fence = c.fence LIMIT 1) l ON true
      -- The message with the open attempt stays first until something ends the attempt, even when an older one becomes due.
      LEFT JOIN LATERAL (SELECT open_attempt(q, v_now) AS attempt FROM pending q
        WHERE q.device_id = c.device_id AND NOT q.delayed AND q.id = l.in_flight_id AND q.attempt_until_ms IS NOT NULL LIMIT 1) f ON true
      LEFT JOIN LATERAL (SELECT q.id, q.guarantee FROM pending q
        WHERE l.is_mine AND f.attempt IS NULL AND q.device_id = c.device_id AND NOT q.delayed
          AND (q.expires_at_ms IS NULL OR q.expires_at_ms > v_now)
        ORDER BY q.id LIMIT 1) h ON true
      WHERE v_left IS NULL OR c.n = ANY(v_left);
    v_found := v_found || ARRAY(SELECT k::claim_look FROM unnest(v_looks) k WHERE k.kind <> 'message');
    v_started := start_attempts(p_node, now_ms(), (SELECT array_agg(k.start) FROM unnest(v_looks) k WHERE k.kind = 'message'));
    v_begun := v_begun || v_started;
    -- A message that another transaction took out of its queue meanwhile is not dispatched: look again.
    v_left := ARRAY(SELECT k.n FROM unnest(v_looks) k WHERE k.kind = 'message' EXCEPT SELECT (s.start).n FROM unnest(v_started) s);
    EXIT WHEN cardinality(v_left) = 0;
    v_rounds := v_rounds + 1;
    IF v_rounds > 100 THEN RAISE EXCEPTION 'messages leave their queues' USING ERRCODE = '40001'; END IF;
  END LOOP;
  IF cardinality(v_ended) > 0 THEN v_ends := ends_in_places(cardinality(v_calls), v_ended); END IF;
  RETURN (
    SELECT json_agg(json_build_object('is', r.kind, 'attempt', r.attempt, 'dueInMs', r.due_in_ms, 'started', r.started,
        'ended', v_ends[r.n], 'unread', r.started->'id') ORDER BY r.n)
    FROM (
      SELECT k.n, k.kind, k.attempt, k.due_in_ms, NULL::json AS started FROM unnest(v_found) k
      UNION ALL SELECT (s.start).n, 'message', NULL, NULL, started_json(s) FROM unnest(v_begun) s) r);
END $$;

-- Adds the texts of the messages that "unread" names to the results of claims and polls. Not STABLE: a claim may have seen a message
-- that was stored after the statement began.
CREATE FUNCTION with_texts(p_results json) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
BEGIN
  RETURN (
    SELECT json_agg(json_build_object('taken', r.taken, 'command', m.command, 'data', m.data) ORDER BY r.n)
    FROM json_array_elements(p_results) WITH ORDINALITY r(taken, n)
    LEFT JOIN LATERAL (SELECT m.command, m.data FROM messages m WHERE m.id = (r.taken->>'unread')::bigint LIMIT 1) m ON true);
END $$;

-- kind: attach, release, busy. Fence: of release. for_ms: of busy.
CREATE TYPE line_call AS (kind text, device_id text COLLATE "C", fence bigint, for_ms double precision);

-- Begins and ends leases and pauses. Each device occurs once. Returns {fence, state} of an attach, and {seq, ended}
-- of a pause: the number of the change, and the end of the attempt that the pause interrupted.
CREATE FUNCTION change_lines(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_calls line_call[]; v_devices text[]; v_now bigint; v_numbers bigint[]; v_ends json[];
BEGIN
  SELECT array_agg(c), array_agg(c.device_id) INTO v_calls, v_devices FROM json_populate_recordset(NULL::line_call, p_calls) c;
  PERFORM lock_lines(v_devices);
  v_now := now_ms();
  INSERT INTO device_lines AS l (device_id, fence, node_id)
    SELECT c.device_id, 1, p_node FROM unnest(v_calls) c WHERE c.kind = 'attach' ORDER BY c.device_id
    ON CONFLICT (device_id) DO UPDATE SET fence = l.fence + 1, node_id = p_node;
  UPDATE device_lines l SET fence = l.fence + 1, node_id = NULL FROM unnest(v_calls) c
    WHERE c.kind = 'release' AND l.device_id = c.device_id AND l.node_id = p_node AND l.fence = c.fence;
  IF EXISTS (SELECT 1 FROM unnest(v_calls) c WHERE c.kind = 'busy') THEN
    INSERT INTO device_lines AS l (device_id, busy_until_ms, busy_ms)
      SELECT c.device_id, CASE WHEN c.for_ms > 0 THEN v_now + c.for_ms::bigint END, CASE WHEN c.for_ms > 0 THEN c.for_ms::bigint END
      FROM unnest(v_calls) c WHERE c.kind = 'busy' ORDER BY c.device_id
      ON CONFLICT (device_id) DO UPDATE SET busy_until_ms = excluded.busy_until_ms, busy_ms = excluded.busy_ms;
    v_ends := ends_in_places(cardinality(v_calls), end_attempts(v_now, (
      SELECT array_agg((c.n, q.device_id, q.id, q.attempts, q.attempt_at_ms, ${outcome.BUSY})::attempt_end)
      FROM unnest(v_calls) WITH ORDINALITY c(kind, device_id, fence, for_ms, n)
      CROSS JOIN LATERAL (SELECT l.in_flight_id FROM device_lines l WHERE l.device_id = c.device_id LIMIT 1) l
      CROSS JOIN LATERAL (SELECT q.* FROM pending q
        WHERE q.device_id = c.device_id AND NOT q.delayed AND q.id = l.in_flight_id AND q.attempt_until_ms IS NOT NULL LIMIT 1) q
      WHERE c.kind = 'busy' AND c.for_ms > 0)));
    v_numbers := ARRAY(SELECT nextval('change_numbers') FROM unnest(v_calls));
    INSERT INTO changes (seq, origin, kind, subject, until_ms, content)
      SELECT v_numbers[c.n], p_node, 'busy', c.device_id, v_now + c.for_ms::bigint, to_json(c.for_ms)
      FROM unnest(v_calls) WITH ORDINALITY c(kind, device_id, fence, for_ms, n) WHERE c.kind = 'busy';
  END IF;
  RETURN (
    SELECT json_agg(CASE c.kind
        WHEN 'attach' THEN json_build_object('fence', (SELECT l.fence FROM device_lines l WHERE l.device_id = c.device_id),
          'state', line_state(c.device_id, v_now))
        WHEN 'busy' THEN json_build_object('seq', v_numbers[c.n], 'ended', v_ends[c.n])
        ELSE '{}' END ORDER BY c.n)
    FROM unnest(v_calls) WITH ORDINALITY c(kind, device_id, fence, for_ms, n));
END $$;

-- number: of the attempt that ended. Without it the call is about a NO message that could not be sent. parks: the attempt was the
-- last one.
CREATE TYPE failure_call AS (device_id text COLLATE "C", id bigint, number int, at_ms bigint, outcome smallint, parks boolean);

-- Ends attempts without an acknowledgement. Makes messages UNKNOWN whose last attempt ended so, and NO messages that could not be
-- sent. Each message occurs once. Returns {change, ended}.
CREATE FUNCTION make_unknown(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_calls failure_call[]; v_ended attempt_ended[] := '{}'; v_moves move[]; v_moved moved[];
BEGIN
  SELECT array_agg(c) INTO v_calls FROM json_populate_recordset(NULL::failure_call, p_calls) c;
  v_moves := ARRAY(SELECT (c.id, 'dispatchFailed', NULL, NULL, NULL, NULL)::move FROM unnest(v_calls) c WHERE c.number IS NULL);
  IF EXISTS (SELECT 1 FROM unnest(v_calls) c WHERE c.number IS NOT NULL) THEN
    PERFORM lock_lines(ARRAY(SELECT c.device_id FROM unnest(v_calls) c WHERE c.number IS NOT NULL));
    v_ended := end_attempts(now_ms(), (
      SELECT array_agg((c.n, c.device_id, c.id, c.number, c.at_ms, c.outcome)::attempt_end)
      FROM unnest(v_calls) WITH ORDINALITY c(device_id, id, number, at_ms, outcome, parks, n) WHERE c.number IS NOT NULL));
    WITH gone AS (
      DELETE FROM pending q USING unnest(v_ended) e
      WHERE v_calls[(e.ending).n].parks
        AND q.device_id = (e.ending).device_id AND q.delayed = ((e.ending).id IS NULL) AND q.id = (e.ending).id RETURNING q.id, latest_of(q, NULL) AS latest)
    SELECT v_moves || coalesce(array_agg((gone.id, 'parked', NULL, NULL, gone.latest, NULL)::move), '{}') INTO v_moves FROM gone;
  END IF;
  v_moved := apply_moves(p_node, v_moves);
  -- A group for each message needs no join of arrays, as in acknowledge().
  RETURN (SELECT json_agg(r.result ORDER BY r.n) FROM (
    SELECT max(u.n) AS n, json_build_object('change', (array_agg(u.change) FILTER (WHERE u.change IS NOT NULL))[1],
        'ended', (array_agg(u.ended) FILTER (WHERE u.ended IS NOT NULL))[1]) AS result
    FROM (
      SELECT c.id, c.n, NULL::json AS change, NULL::json AS ended FROM unnest(v_calls) WITH ORDINALITY c(device_id, id, number, at_ms, outcome, parks, n)
      UNION ALL SELECT v.id, NULL, to_json(v), NULL FROM unnest(v_moved) v
      UNION ALL SELECT (e.ending).id, NULL, NULL, json_build_object('transport', e.transport, 'isExpired', e.is_expired) FROM unnest(v_ended) e) u
    GROUP BY u.id) r);
END $$;
`
