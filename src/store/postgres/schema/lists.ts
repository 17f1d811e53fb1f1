/** Reads for administrators. Each function reads a bounded number of rows through an index. */

export const LIST_FUNCTIONS = /* sql */ `
-- Returns the id of the first message stored at a time or later, by bisection; p_end when there is none.
CREATE FUNCTION first_since(p_at_ms bigint, p_end bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE v_low bigint := 1; v_high bigint := p_end; v_middle bigint; v_id bigint; v_at_ms bigint;
BEGIN
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high) / 2;
    SELECT m.id, m.created_at_ms INTO v_id, v_at_ms FROM messages m WHERE m.id >= v_middle ORDER BY m.id LIMIT 1;
    IF v_id IS NULL OR v_at_ms >= p_at_ms THEN v_high := v_middle; ELSE v_low := v_id + 1; END IF;
  END LOOP;
  RETURN v_low;
END $$;

-- Lists ids of clients and of devices with messages, in the order of their bytes: {ids, next}. Each step skips all messages of a
-- device. Reads at most p_steps ids. The search ignores the case of ASCII letters.
CREATE FUNCTION list_device_ids(p_after text, p_limit int, p_search text, p_steps int) RETURNS json
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE v_last text COLLATE "C" := p_after; v_client text COLLATE "C"; v_device text COLLATE "C"; v_found text[] := '{}';
  v_search text COLLATE "C" := lower(p_search COLLATE "C");
BEGIN
  FOR step IN 1..p_steps LOOP
    SELECT c.device_id INTO v_client FROM clients c WHERE c.device_id > v_last ORDER BY c.device_id LIMIT 1;
    SELECT m.device_id INTO v_device FROM messages m WHERE m.device_id > v_last ORDER BY m.device_id LIMIT 1;
    IF v_client IS NULL AND v_device IS NULL THEN RETURN json_build_object('ids', v_found, 'next', NULL); END IF;
    IF cardinality(v_found) = p_limit THEN RETURN json_build_object('ids', v_found, 'next', v_last); END IF;
    v_last := least(v_client, v_device);
    IF p_search = '' OR strpos(lower(v_last), v_search) > 0 THEN v_found := v_found || v_last::text; END IF;
  END LOOP;
  RETURN json_build_object('ids', v_found, 'next', v_last);
END $$;

-- Returns what is stored about devices, in the order of the given ids.
CREATE FUNCTION device_records(p_ids text[]) RETURNS TABLE (device_id text, client_id bigint, waiting int, oldest_at_ms bigint, last json)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT d.id, (SELECT c.id FROM clients c WHERE c.device_id = d.id),
      (SELECT count(*)::int FROM pending p WHERE p.device_id = d.id),
      (SELECT m.created_at_ms FROM messages m WHERE m.id = least(
        (SELECT p.id FROM pending p WHERE p.device_id = d.id AND NOT p.delayed ORDER BY p.id LIMIT 1),
        (SELECT p.id FROM pending p WHERE p.device_id = d.id AND p.delayed ORDER BY p.id LIMIT 1))),
      (SELECT json_build_object('id', m.id, 'command', m.command, 'status', m.status, 'atMs', m.created_at_ms)
       FROM messages m WHERE m.device_id = d.id ORDER BY m.id DESC LIMIT 1)
    FROM unnest(p_ids) WITH ORDINALITY d(id, n) ORDER BY d.n;
END $$;

-- Returns what a detailed list shows beside the records of devices, in the order of the given ids: the unanswered attempt, the start of the
-- first of its counted attempts, and the time that the newest delivered one of the last 20 messages took.
CREATE FUNCTION device_details(p_ids text[]) RETURNS TABLE (attempt json, command text, first_at_ms bigint, delivery_ms bigint)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE v_now bigint := now_ms();
BEGIN
  RETURN QUERY SELECT unanswered_attempt(q, v_now), q.command,
      (SELECT min(a.at_ms) FROM (SELECT at_ms FROM message_attempts WHERE message_id = q.id ORDER BY number DESC LIMIT q.counted) a),
      (SELECT m.delivered_at_ms - m.created_at_ms
       FROM (SELECT delivered_at_ms, created_at_ms, id FROM messages WHERE device_id = d.id ORDER BY id DESC LIMIT 20) m
       WHERE m.delivered_at_ms IS NOT NULL ORDER BY m.id DESC LIMIT 1)
    FROM unnest(p_ids) WITH ORDINALITY d(id, n)
      LEFT JOIN device_lines l ON l.device_id = d.id
      LEFT JOIN pending q ON q.device_id = d.id AND NOT q.delayed AND q.id = l.in_flight_id
    ORDER BY d.n;
END $$;

-- Returns the devices behind p_after that have messages, at most p_limit, in their order. Each step skips all messages of a device.
CREATE FUNCTION message_owners(p_after text, p_limit int) RETURNS text[]
LANGUAGE sql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  WITH RECURSIVE next(device_id) AS (
    (SELECT m.device_id FROM messages m WHERE m.device_id > p_after ORDER BY m.device_id LIMIT 1)
    UNION ALL
    SELECT (SELECT m.device_id FROM messages m WHERE m.device_id > next.device_id ORDER BY m.device_id LIMIT 1)
      FROM next WHERE next.device_id IS NOT NULL)
  SELECT array_agg(s.device_id) FROM (SELECT device_id FROM next WHERE device_id IS NOT NULL LIMIT p_limit) s $$;

-- Returns the lengths and the oldest messages of the queues among the first p_rows pending messages in the order of the devices.
CREATE FUNCTION queue_lengths(p_rows int) RETURNS TABLE (device_id text, messages int, oldest bigint)
LANGUAGE sql STABLE AS $$
  SELECT p.device_id, count(*)::int, min(p.id)
  FROM (SELECT device_id, id FROM pending ORDER BY device_id, delayed, id LIMIT p_rows) p GROUP BY p.device_id ORDER BY p.device_id $$;

-- Returns {total, ids, commands} of a queue: the oldest p_limit ids, and the numbers of commands among the oldest p_rows messages.
CREATE FUNCTION queue_content(p_device text, p_limit int, p_rows int) RETURNS json
LANGUAGE sql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  SELECT json_build_object(
    'total', (SELECT count(*) FROM pending p WHERE p.device_id = p_device),
    'ids', (SELECT coalesce(json_agg(i.id ORDER BY i.id), '[]') FROM (
      SELECT p.id FROM pending p WHERE p.device_id = p_device ORDER BY p.id LIMIT p_limit) i),
    'commands', (SELECT coalesce(json_agg(json_build_object('command', c.command, 'count', c.count) ORDER BY c.count DESC, c.command), '[]')
      FROM (SELECT q.command, count(*) AS count FROM (
        SELECT p.command FROM pending p WHERE p.device_id = p_device ORDER BY p.id LIMIT p_rows) q GROUP BY q.command) c)) $$;

-- Returns the devices among p_rows lines with an attempt whose unanswered attempt is at least the second one with its message.
CREATE FUNCTION blocked_devices(p_rows int) RETURNS TABLE (device_id text)
LANGUAGE sql STABLE AS $$
  SELECT l.device_id FROM (SELECT device_id, in_flight_id FROM device_lines WHERE in_flight_id IS NOT NULL LIMIT p_rows) l
    CROSS JOIN LATERAL (SELECT q.counted, unanswered_attempt(q, 0) AS attempt FROM pending q
      WHERE q.device_id = l.device_id AND NOT q.delayed AND q.id = l.in_flight_id LIMIT 1) q
  WHERE q.counted > 1 AND q.attempt IS NOT NULL $$;

-- Returns bounds of the queues with the oldest and the newest pending messages: at least as many messages and bytes as they have.
CREATE FUNCTION queue_bounds(p_rows int) RETURNS TABLE (device_id text, messages bigint, bytes bigint, settings json)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT d.device_id, b.messages, b.bytes, (SELECT s.settings FROM device_settings s WHERE s.device_id = d.device_id)
    FROM (SELECT o.device_id FROM (SELECT p.device_id FROM pending p ORDER BY p.id LIMIT p_rows) o
          UNION SELECT n.device_id FROM (SELECT p.device_id FROM pending p ORDER BY p.id DESC LIMIT p_rows) n) d,
      LATERAL (SELECT max(e.place) - min(e.place) + 1 AS messages, max(e.bytes_place) - min(e.bytes_place - e.bytes) AS bytes FROM (
        (SELECT p.place, p.bytes_place, p.bytes FROM pending p WHERE p.device_id = d.device_id AND NOT p.delayed ORDER BY p.id LIMIT 1) UNION ALL
        (SELECT p.place, p.bytes_place, p.bytes FROM pending p WHERE p.device_id = d.device_id AND NOT p.delayed ORDER BY p.id DESC LIMIT 1) UNION ALL
        (SELECT p.place, p.bytes_place, p.bytes FROM pending p WHERE p.device_id = d.device_id AND p.delayed ORDER BY p.id LIMIT 1) UNION ALL
        (SELECT p.place, p.bytes_place, p.bytes FROM pending p WHERE p.device_id = d.device_id AND p.delayed ORDER BY p.id DESC LIMIT 1)) e) b;
END $$;

-- Returns the messages and the bytes of queues.
CREATE FUNCTION queue_sizes(p_ids text[]) RETURNS TABLE (device_id text, messages int, bytes bigint)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT d.id, s.messages, s.bytes FROM unnest(p_ids) d(id),
    LATERAL (SELECT count(*)::int AS messages, coalesce(sum(p.bytes), 0)::bigint AS bytes FROM pending p WHERE p.device_id = d.id) s;
END $$;

-- Counts pending messages exactly up to a maximum, and estimates larger numbers as the planner does. VOLATILE, as EXPLAIN needs.
CREATE FUNCTION count_pending(p_max int) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE v_count bigint; v_plan json;
BEGIN
  SELECT count(*) INTO v_count FROM (SELECT FROM pending LIMIT p_max) p;
  IF v_count < p_max THEN RETURN v_count; END IF;
  EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM pending' INTO v_plan;
  RETURN greatest(v_count, (v_plan->0->'Plan'->>'Plan Rows')::bigint);
END $$;
`
