/** Processes deadlines. Several nodes may do so concurrently. */
import { deadline, outcome, status } from './codes.ts'

export const DEADLINE_FUNCTIONS = /* sql */ `
-- Returns the rest of the open attempt with a message; 0 when there is none, or its time is over. A clock that was set back makes
-- no attempt longer than its duration.
CREATE FUNCTION attempt_rest_ms(p_row pending, p_now bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(greatest(0, least(p_row.attempt_until_ms - p_now, p_row.attempt_until_ms - p_row.attempt_at_ms)), 0) $$;

-- Carries out deadlines that are due. Takes one call, {max}: maximum deadlines of this step. Returns {settled, ended, next_in_ms}:
-- the changes, the transports of the attempts that ended as TIMEOUT, and the time until the next deadline.
CREATE FUNCTION expire(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_max int := (p_calls->0->>'max')::int; v_now bigint := now_ms(); v_due deadlines[]; v_moves move[] := '{}'; v_unfinished move[];
  v_ended bigint[] := '{}'; v_transports text[] := '{}'; v_moved moved[]; v_next bigint; v_delayed boolean;
BEGIN
  -- A deadline that another node carries out is locked, and left to that node. The array is made once. A join may read its inner side
  -- again for each row of the other one, and then finds further deadlines beyond the limit.
  WITH due AS (
    DELETE FROM deadlines x WHERE x.ctid = ANY(ARRAY(
      SELECT d.ctid FROM deadlines d WHERE d.at_ms <= v_now ORDER BY d.at_ms LIMIT v_max FOR UPDATE SKIP LOCKED)) RETURNING x.*)
  SELECT coalesce(array_agg((d.at_ms, d.kind, d.message_id, d.device_id)::deadlines ORDER BY d.device_id, d.message_id), '{}') INTO v_due FROM due d;
  -- Validity: PostgreSQL checks the condition again for a row that it waited for, so an attempt that began meanwhile runs on.
  FOREACH v_delayed IN ARRAY ARRAY[false, true] LOOP
    WITH gone AS (
      DELETE FROM pending q USING unnest(v_due) d
      WHERE d.kind = ${deadline.EXPIRES} AND q.device_id = d.device_id AND q.delayed = v_delayed AND q.id = d.message_id
        AND q.expires_at_ms <= v_now AND attempt_rest_ms(q, v_now) <= 0
      RETURNING q.id, q.attempts, q.attempt_until_ms, q.attempt_transport, latest_of(q, ${outcome.TIMEOUT}::smallint) AS latest)
    SELECT v_moves || coalesce(array_agg((g.id, CASE WHEN g.attempts > 0 THEN 'expiredInFlight' ELSE 'expired' END, NULL, NULL, g.latest,
          NULL)::move ORDER BY g.id), '{}'),
        v_ended || coalesce(array_agg(g.id) FILTER (WHERE g.attempt_until_ms IS NOT NULL), '{}'),
        v_transports || coalesce(array_agg(g.attempt_transport) FILTER (WHERE g.attempt_until_ms IS NOT NULL), '{}')
      INTO v_moves, v_ended, v_transports FROM gone g;
  END LOOP;
  IF cardinality(v_ended) > 0 THEN UPDATE messages m SET delivered_error = true FROM unnest(v_ended) e(id) WHERE m.id = e.id; END IF;
  -- A message that is still pending has a running attempt, or became due or lost its attempt just now.
  INSERT INTO deadlines (at_ms, kind, message_id, device_id)
    SELECT greatest(q.expires_at_ms, v_now + attempt_rest_ms(q, v_now)), ${deadline.EXPIRES}, q.id, q.device_id
    FROM unnest(v_due) d, unnest(ARRAY[false, true]) f(delayed), LATERAL (
      SELECT q.* FROM pending q WHERE q.device_id = d.device_id AND q.delayed = f.delayed AND q.id = d.message_id LIMIT 1) q
    WHERE d.kind = ${deadline.EXPIRES}
    ON CONFLICT DO NOTHING;
  -- Finish time: the row of an earlier deadline changes nothing.
  SELECT coalesce(array_agg((f.id, 'notFinished', NULL, NULL, NULL, NULL)::move), '{}') INTO v_unfinished FROM (
    SELECT m.id FROM (SELECT DISTINCT d.message_id AS id FROM unnest(v_due) d WHERE d.kind = ${deadline.FINISH}) d JOIN messages m ON m.id = d.id
    WHERE m.status = ${status.DELIVERED} AND m.finish_at_ms <= v_now ORDER BY m.id FOR NO KEY UPDATE OF m) f;
  v_moved := apply_moves(p_node, v_moves || v_unfinished);
  SELECT min(d.at_ms) - v_now INTO v_next FROM deadlines d;
  RETURN json_build_array(json_build_object(
    'settled', (SELECT coalesce(json_agg(v), '[]') FROM unnest(v_moved) v),
    'ended', to_json(v_transports),
    'next_in_ms', CASE WHEN v_next > 0 THEN v_next
      -- The rest that is due belongs to a step of another node, which may die.
      WHEN v_next <= 0 AND cardinality(v_due) < v_max THEN 100
      WHEN v_next <= 0 THEN 0 END));
END $$;
`
