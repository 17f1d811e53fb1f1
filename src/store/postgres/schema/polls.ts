/** Reads the heads of queues and device lines, and takes messages for polls. */
import { outcome } from './codes.ts'

export const POLL_FUNCTIONS = /* sql */ `
-- Reads the message that a poll may return, or the state of the device line. Writes nothing, so a delayed message that is
-- due is found where it is. kind: head, line.
CREATE FUNCTION look(p_calls json) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_now bigint := now_ms();
BEGIN
  RETURN (SELECT json_agg(CASE c.kind WHEN 'line' THEN line_state(c.device_id, v_now) ELSE h.head END ORDER BY c.n)
  FROM ROWS FROM (json_to_recordset(p_calls) AS (kind text, device_id text)) WITH ORDINALITY c(kind, device_id, n)
  LEFT JOIN LATERAL (
    SELECT q.id, open_attempt(q, v_now) AS attempt, q.attempt_until_ms > greatest(v_now, q.attempt_at_ms) AS is_running FROM pending q
    WHERE q.device_id = c.device_id AND NOT q.delayed AND q.attempt_until_ms IS NOT NULL
      AND q.id = (SELECT l.in_flight_id FROM device_lines l WHERE l.device_id = c.device_id) LIMIT 1) f ON c.kind = 'head'
  LEFT JOIN LATERAL (
    SELECT CASE WHEN f.is_running THEN f.id ELSE least(
      (SELECT q.id FROM pending q WHERE q.device_id = c.device_id AND NOT q.delayed AND (q.expires_at_ms IS NULL OR q.expires_at_ms > v_now)
        ORDER BY q.id LIMIT 1),
      -- OFFSET 0: by the index of the due times, not by all delayed messages in the order of their ids.
      (SELECT min(d.id) FROM (SELECT q.id FROM pending q WHERE q.device_id = c.device_id AND q.delayed AND q.due_at_ms <= v_now
        AND (q.expires_at_ms IS NULL OR q.expires_at_ms > v_now) OFFSET 0) d)) END AS id) i ON c.kind = 'head'
  LEFT JOIN LATERAL (
    SELECT json_build_object('id', m.id, 'command', m.command, 'guarantee', m.guarantee, 'data', m.data, 'attempt', f.attempt) AS head
    FROM messages m WHERE m.id = i.id AND (m.expires_at_ms IS NULL OR m.expires_at_ms > v_now) LIMIT 1) h ON true);
END $$;

-- id: message that the poll saw; null: it takes the oldest one.
CREATE TYPE take_call AS (
  device_id text COLLATE "C", id bigint, durations_ms double precision[], paced boolean, deaf boolean,
  -- The open attempt of the device that the poll saw, which is over.
  attempt_id bigint, attempt_number int, attempt_at_ms bigint
);

-- Begins attempts by polls. Each device occurs once. Returns {started, ended, unread}; started is null when the message left its
-- queue, or something began or ended an attempt since the poll looked. unread: message that the poll did not see.
CREATE FUNCTION take(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
  v_calls take_call[]; v_devices text[]; v_now bigint; v_starts attempt_start[]; v_ended attempt_ended[]; v_started attempt_started[];
  v_begun json[]; v_ends json[];
BEGIN
  SELECT array_agg(c), array_agg(c.device_id) INTO v_calls, v_devices FROM json_populate_recordset(NULL::take_call, p_calls) c;
  IF lock_lines(v_devices) < cardinality(v_devices) THEN
    INSERT INTO device_lines (device_id) SELECT c.device_id FROM unnest(v_calls) c ORDER BY c.device_id ON CONFLICT DO NOTHING;
    PERFORM lock_lines(v_devices);
  END IF;
  v_now := now_ms();
  PERFORM move_due(v_devices, v_now);
  SELECT array_agg((c.n, c.device_id, q.id, q.guarantee, 'REST', c.durations_ms, c.paced, c.deaf)::attempt_start) INTO v_starts
    FROM unnest(v_calls) WITH ORDINALITY c(device_id, id, durations_ms, paced, deaf, attempt_id, attempt_number, attempt_at_ms, n)
    CROSS JOIN LATERAL (SELECT l.in_flight_id FROM device_lines l WHERE l.device_id = c.device_id LIMIT 1) l
    LEFT JOIN LATERAL (SELECT q.id, q.attempts, q.attempt_at_ms, q.attempt_until_ms FROM pending q
      WHERE q.device_id = c.device_id AND NOT q.delayed AND q.id = l.in_flight_id AND q.attempt_until_ms IS NOT NULL LIMIT 1) f ON true
    CROSS JOIN LATERAL (SELECT q.id, q.guarantee FROM pending q
      WHERE q.device_id = c.device_id AND NOT q.delayed AND (q.expires_at_ms IS NULL OR q.expires_at_ms > v_now)
        AND q.id = coalesce(c.id, (SELECT o.id FROM pending o WHERE o.device_id = c.device_id AND NOT o.delayed
          AND (o.expires_at_ms IS NULL OR o.expires_at_ms > v_now) ORDER BY o.id LIMIT 1)) LIMIT 1) q
    WHERE CASE WHEN f.id IS NULL THEN c.attempt_id IS NULL ELSE
      f.id = c.attempt_id AND f.attempts = c.attempt_number AND f.attempt_at_ms = c.attempt_at_ms AND f.attempt_until_ms <= greatest(v_now, f.attempt_at_ms) END;
  v_ended := end_attempts(v_now, (
    SELECT array_agg((s.n, s.device_id, c.attempt_id, c.attempt_number, c.attempt_at_ms, ${outcome.TIMEOUT})::attempt_end)
    FROM unnest(v_starts) s CROSS JOIN LATERAL (SELECT (v_calls[s.n]).*) c WHERE c.attempt_id IS NOT NULL));
  v_started := start_attempts(p_node, now_ms(), v_starts);
  v_begun := in_places(cardinality(v_calls), ARRAY(SELECT ((s.start).n, started_json(s))::placed FROM unnest(v_started) s));
  IF cardinality(v_ended) > 0 THEN v_ends := ends_in_places(cardinality(v_calls), v_ended); END IF;
  RETURN (SELECT json_agg(json_build_object('started', v_begun[n], 'ended', v_ends[n],
      'unread', CASE WHEN (v_calls[n]).id IS NULL THEN v_begun[n]->'id' END) ORDER BY n)
    FROM generate_series(1, cardinality(v_calls)) n);
END $$;
`
