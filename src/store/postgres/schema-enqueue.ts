/** Stores messages. */

export const ENQUEUE_FUNCTIONS = /* sql */ `
CREATE TYPE enqueue_call AS (
  device_id text, command text, guarantee smallint, data text, bytes int, tmp_id bigint, producer_id text, sender_id text,
  has_terms boolean, details boolean, valid_seconds int, delay_seconds int, finish_seconds int, max_attempts int
);

-- Stores messages, and returns {id} for each.
CREATE FUNCTION enqueue(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_now bigint; v_calls enqueue_call[]; v_ids bigint[];
BEGIN
  SELECT array_agg(c) INTO v_calls FROM json_populate_recordset(NULL::enqueue_call, p_calls) c;
  -- One writer at a time for each device. All calls lock in the order of the hashes, so two calls never wait for each other.
  PERFORM pg_advisory_xact_lock(7, h) FROM (SELECT DISTINCT hashtext(c.device_id) AS h FROM unnest(v_calls) c ORDER BY 1) s;
  v_now := now_ms();
  SELECT array_agg(nextval('message_ids') ORDER BY n) INTO v_ids FROM generate_series(1, cardinality(v_calls)) n;
  INSERT INTO messages (id, device_id, command, guarantee, created_at_ms, changed_at_ms, data, tmp_id, producer_id, sender_id,
      expires_at_ms, due_at_ms, finish_seconds, max_attempts, has_terms, details)
    SELECT v_ids[n], c.device_id, c.command, c.guarantee, v_now, v_now, c.data, c.tmp_id, c.producer_id, c.sender_id,
      v_now + c.valid_seconds * 1000::bigint, v_now + c.delay_seconds * 1000::bigint, c.finish_seconds, c.max_attempts, c.has_terms, c.details
    FROM unnest(v_calls) WITH ORDINALITY c(device_id, command, guarantee, data, bytes, tmp_id, producer_id, sender_id,
      has_terms, details, valid_seconds, delay_seconds, finish_seconds, max_attempts, n);
  INSERT INTO pending (device_id, delayed, id, place, bytes_place, bytes, guarantee, command, expires_at_ms, due_at_ms, finish_seconds, max_attempts)
    SELECT c.device_id, c.delay_seconds > 0 IS TRUE, v_ids[n], 0, 0, c.bytes, c.guarantee, c.command,
      v_now + c.valid_seconds * 1000::bigint, v_now + c.delay_seconds * 1000::bigint, c.finish_seconds, c.max_attempts
    FROM unnest(v_calls) WITH ORDINALITY c(device_id, command, guarantee, data, bytes, tmp_id, producer_id, sender_id,
      has_terms, details, valid_seconds, delay_seconds, finish_seconds, max_attempts, n);
  INSERT INTO changes (origin, message_id, tmp_id, until_ms, status, cause, subject, producer_id)
    SELECT p_node, v_ids[n], c.tmp_id, v_now + c.valid_seconds * 1000::bigint, 0, 0, c.device_id, c.producer_id
    FROM unnest(v_calls) WITH ORDINALITY c(device_id, command, guarantee, data, bytes, tmp_id, producer_id, sender_id,
      has_terms, details, valid_seconds, delay_seconds, finish_seconds, max_attempts, n);
  RETURN (SELECT json_agg(json_build_object('id', id) ORDER BY n) FROM unnest(v_ids) WITH ORDINALITY i(id, n));
END $$;
`
