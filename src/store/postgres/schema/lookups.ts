/** Looks up messages and devices. */

export const LOOKUP_FUNCTIONS = /* sql */ `
-- Returns the status of each message; null where there is none.
CREATE FUNCTION message_statuses(p_calls json) RETURNS json
LANGUAGE sql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
  SELECT json_agg(m.status ORDER BY i.n) FROM json_array_elements_text(p_calls) WITH ORDINALITY i(id, n)
    LEFT JOIN LATERAL (SELECT m.status FROM messages m WHERE m.id = i.id::bigint LIMIT 1) m ON true $$;

-- Returns {deviceId, senderId, producerId} of each message; null where there is none.
CREATE FUNCTION message_parties(p_calls json) RETURNS json
LANGUAGE sql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
  SELECT json_agg(CASE WHEN m.device_id IS NOT NULL THEN
      json_build_object('deviceId', m.device_id, 'senderId', m.sender_id, 'producerId', m.producer_id) END ORDER BY i.n)
  FROM json_array_elements_text(p_calls) WITH ORDINALITY i(id, n)
    LEFT JOIN LATERAL (SELECT m.device_id, m.sender_id, m.producer_id FROM messages m WHERE m.id = i.id::bigint LIMIT 1) m ON true $$;

-- Returns the devices behind p_after that have pending messages, at most p_limit, in their order. Reads one row of each device.
CREATE FUNCTION pending_devices(p_after text, p_limit int) RETURNS text[]
LANGUAGE sql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  WITH RECURSIVE next(device_id) AS (
    (SELECT q.device_id FROM pending q WHERE q.device_id > p_after ORDER BY q.device_id LIMIT 1)
    UNION ALL
    SELECT (SELECT q.device_id FROM pending q WHERE q.device_id > next.device_id ORDER BY q.device_id LIMIT 1)
      FROM next WHERE next.device_id IS NOT NULL)
  SELECT array_agg(s.device_id) FROM (SELECT device_id FROM next WHERE device_id IS NOT NULL LIMIT p_limit) s $$;
`
