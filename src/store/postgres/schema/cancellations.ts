/** Cancels messages. Each function locks the device, so that no message enters its queue meanwhile. */

export const CANCEL_FUNCTIONS = /* sql */ `
CREATE TYPE cancel_call AS (id bigint, changed_by text, force boolean, audit json);

-- Cancels messages. Returns {status, attempts, moved, transport, line} for each; null when there is no such message.
CREATE FUNCTION cancel_messages(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_calls cancel_call[]; v_devices text[]; v_waiting leaving[]; v_moved moved[]; v_gone bigint[]; v_lines json[];
BEGIN
  SELECT array_agg(c) INTO v_calls FROM json_populate_recordset(NULL::cancel_call, p_calls) c;
  SELECT array_agg((SELECT m.device_id FROM messages m WHERE m.id = c.id) ORDER BY c.ordinality) INTO v_devices FROM unnest(v_calls) WITH ORDINALITY c;
  PERFORM pg_advisory_xact_lock(7, h) FROM (SELECT DISTINCT hashtext(d) AS h FROM unnest(v_devices) d WHERE d IS NOT NULL ORDER BY 1) s;
  SELECT coalesce(array_agg((s.n, s.id, s.device_id, s.delayed, s.bytes, s.latest, s.transport)::leaving), '{}') INTO v_waiting FROM (
    SELECT c.ordinality AS n, q.id, q.device_id, q.delayed, q.bytes, latest_of(q, NULL) AS latest,
      CASE WHEN q.attempt_until_ms IS NOT NULL THEN q.attempt_transport END AS transport
    FROM unnest(v_calls) WITH ORDINALITY c
      JOIN pending q ON q.id = c.id
    ORDER BY q.device_id, q.id FOR UPDATE OF q) s;
  DELETE FROM pending q USING unnest(v_waiting) w
    WHERE q.device_id = w.device_id AND q.delayed = w.delayed AND q.id = w.id AND ((w.latest).number = 0 OR v_calls[w.n].force);
  v_moved := apply_moves(p_node, (
    SELECT coalesce(array_agg((c.id, CASE WHEN c.force THEN 'cancelledByForce' ELSE 'cancelled' END, c.changed_by, NULL, w.latest, NULL)::move), '{}')
    FROM unnest(v_waiting) w, LATERAL (SELECT v_calls[w.n].*) c WHERE (w.latest).number = 0 OR c.force));
  IF EXISTS (SELECT FROM unnest(v_calls) c WHERE c.audit IS NOT NULL) THEN
    v_gone := ARRAY(SELECT m.id FROM unnest(v_moved) m);
    SELECT array_agg(CASE WHEN c.id = ANY(v_gone) THEN add_audit_line(c.audit) END ORDER BY c.ordinality)
      INTO v_lines FROM unnest(v_calls) WITH ORDINALITY c;
  END IF;
  -- A group for each message needs no join of arrays, as in acknowledge().
  RETURN (SELECT json_agg(r.result ORDER BY r.n) FROM (
    SELECT max(u.n) AS n, CASE WHEN max(u.status) IS NOT NULL THEN json_build_object('status', max(u.status), 'line', v_lines[max(u.n)],
        'attempts', coalesce(max(u.attempts), max(u.stored_attempts)), 'transport', max(u.transport),
        'moved', (array_agg(u.moved) FILTER (WHERE u.moved IS NOT NULL))[1]) END AS result
    FROM (
      SELECT c.id, c.ordinality AS n, m.status, m.attempts AS stored_attempts, NULL::int AS attempts, NULL::text AS transport, NULL::json AS moved
        FROM unnest(v_calls) WITH ORDINALITY c LEFT JOIN LATERAL (SELECT m.status, m.attempts FROM messages m WHERE m.id = c.id LIMIT 1) m ON true
      UNION ALL SELECT w.id, NULL, NULL, NULL, (w.latest).number, w.transport, NULL FROM unnest(v_waiting) w
      UNION ALL SELECT v.id, NULL, NULL, NULL, NULL, NULL, to_json(v) FROM unnest(v_moved) v) u
    GROUP BY u.id) r);
END $$;

CREATE TYPE cancel_all_call AS (
  device_id text, command text, by_sender boolean, sender_id text, force boolean, changed_by text, most int, audit json
);

-- Cancels the oldest pending messages of one device. Returns [{moved, withdrawn, handed_over, line}] for its only call.
CREATE FUNCTION cancel_all(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_call cancel_all_call; v_last bigint; v_chosen leaving[]; v_gone leaving[]; v_moved moved[];
BEGIN
  v_call := json_populate_record(NULL::cancel_all_call, p_calls->0);
  PERFORM pg_advisory_xact_lock(7, hashtext(v_call.device_id));
  -- Only cancelled messages count for the limit.
  SELECT q.id INTO v_last FROM pending q
    WHERE q.device_id = v_call.device_id AND (v_call.command IS NULL OR q.command = v_call.command)
      AND (NOT v_call.by_sender OR (SELECT m.sender_id FROM messages m WHERE m.id = q.id) IS NOT DISTINCT FROM v_call.sender_id)
      AND (q.attempts = 0 OR v_call.force)
    ORDER BY q.id OFFSET v_call.most - 1 LIMIT 1;
  SELECT coalesce(array_agg((1, s.id, v_call.device_id, s.delayed, s.bytes, s.latest, s.transport)::leaving), '{}') INTO v_chosen FROM (
    SELECT q.id, q.delayed, q.bytes, latest_of(q, NULL) AS latest, CASE WHEN q.attempt_until_ms IS NOT NULL THEN q.attempt_transport END AS transport
    FROM pending q
    WHERE q.device_id = v_call.device_id AND (v_call.command IS NULL OR q.command = v_call.command)
      AND (NOT v_call.by_sender OR (SELECT m.sender_id FROM messages m WHERE m.id = q.id) IS NOT DISTINCT FROM v_call.sender_id)
      AND (v_last IS NULL OR q.id <= v_last)
    ORDER BY q.id FOR UPDATE OF q) s;
  SELECT coalesce(array_agg(c), '{}') INTO v_gone FROM unnest(v_chosen) c WHERE (c.latest).number = 0 OR v_call.force;
  DELETE FROM pending q USING unnest(v_gone) g WHERE q.device_id = g.device_id AND q.delayed = g.delayed AND q.id = g.id;
  v_moved := apply_moves(p_node, (
    SELECT coalesce(array_agg((g.id, CASE WHEN v_call.force THEN 'cancelledByForce' ELSE 'cancelled' END, v_call.changed_by, NULL, g.latest, NULL)::move), '{}')
    FROM unnest(v_gone) g));
  RETURN json_build_array(json_build_object(
    'moved', (SELECT json_agg(m ORDER BY m.id) FROM unnest(v_moved) m),
    'withdrawn', (SELECT json_agg(g.transport) FROM unnest(v_gone) g WHERE g.transport IS NOT NULL),
    'handed_over', (SELECT json_agg(c.id ORDER BY c.id) FROM unnest(v_chosen) c WHERE (c.latest).number > 0),
    'line', CASE WHEN cardinality(v_moved) > 0 THEN add_audit_line(with_detail(v_call.audit, 'count', cardinality(v_moved))) END));
END $$;
`
