/** Applies acknowledgements. Deleting the row in `pending` decides races with claims, cancellations and deadlines. */
import { FINAL_STATUSES } from '../../../broker/vocabulary/status.ts'
import { codesOf, STATUS_CODES, status } from './codes.ts'

const FINAL = codesOf(STATUS_CODES, FINAL_STATUSES)

export const ACKNOWLEDGEMENT_FUNCTIONS = /* sql */ `
CREATE TYPE acknowledge_call AS (
  device_id text COLLATE "C", id bigint, status smallint,
  -- Transition to the status.
  name text COLLATE "C",
  changed_by text, report device_report
);

-- Applies acknowledgements of different messages. Returns {moved, status, transport} for each: the change, or the status of a
-- message that did not change, and the transport of the attempt that the change ended. Null where the device has no such message.
CREATE FUNCTION acknowledge(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_calls acknowledge_call[]; v_left acknowledge_call[]; v_moves move[] := '{}'; v_others move[]; v_moved moved[];
  v_gone bigint[] := '{}'; v_ended bigint[] := '{}'; v_transports text[] := '{}'; v_now bigint; v_delayed boolean;
BEGIN
  -- All batches lock in this order, so two of them never wait for each other.
  SELECT array_agg(c ORDER BY c.device_id, c.id) INTO v_calls FROM json_populate_recordset(NULL::acknowledge_call, p_calls) c;
  FOREACH v_delayed IN ARRAY ARRAY[false, true] LOOP
    EXIT WHEN cardinality(v_gone) = cardinality(v_calls);
    WITH gone AS (
      DELETE FROM pending q USING unnest(v_calls) c WHERE q.device_id = c.device_id AND q.delayed = v_delayed AND q.id = c.id
      RETURNING c.id, c.name, c.changed_by, c.report,
        latest_of(q, NULL) AS latest, q.attempt_until_ms, q.attempt_transport)
    SELECT v_moves || coalesce(array_agg((g.id, g.name, g.changed_by, NULL, g.latest, g.report)::move ORDER BY g.id), '{}'),
        v_gone || coalesce(array_agg(g.id), '{}'),
        v_ended || coalesce(array_agg(g.id) FILTER (WHERE g.attempt_until_ms IS NOT NULL), '{}'),
        v_transports || coalesce(array_agg(g.attempt_transport) FILTER (WHERE g.attempt_until_ms IS NOT NULL), '{}')
      INTO v_moves, v_gone, v_ended, v_transports FROM gone g;
  END LOOP;
  IF cardinality(v_gone) < cardinality(v_calls) THEN
    -- DELIVERED does not change a message that was not finished in time. The lock keeps a deadline from making it such a message
    -- after the next statement.
    PERFORM 1 FROM unnest(v_calls) c JOIN messages m ON m.id = c.id
      WHERE c.name = 'ackDelivered' AND c.id <> ALL(v_gone) AND m.device_id = c.device_id
      ORDER BY m.id FOR NO KEY UPDATE OF m;
    SELECT coalesce(array_agg((c.id, c.name, c.changed_by, NULL, NULL, c.report)::move ORDER BY c.id), '{}')
      INTO v_others
      FROM unnest(v_calls) c JOIN messages m ON m.id = c.id
      WHERE c.id <> ALL(v_gone) AND m.device_id = c.device_id
        AND (c.name <> 'ackDelivered' OR m.cause IS DISTINCT FROM (SELECT k.cause FROM transition_kinds k WHERE k.name = 'notFinished'));
    SELECT coalesce(array_agg(v ORDER BY v.id), '{}') INTO v_moves FROM unnest(v_moves || v_others) v;
  END IF;
  v_moved := apply_moves(p_node, v_moves);
  IF cardinality(v_others) > 0 AND EXISTS (
      SELECT 1 FROM unnest(v_moved) c, unnest(ARRAY[false, true]) f(delayed), LATERAL (
        SELECT 1 FROM pending q WHERE q.device_id = c.device_id AND q.delayed = f.delayed AND q.id = c.id LIMIT 1) q) THEN
    RAISE EXCEPTION 'A message was replayed or became due meanwhile.' USING ERRCODE = 'serialization_failure';
  END IF;
  IF cardinality(v_moved) < cardinality(v_calls) THEN
    v_now := now_ms();
    SELECT array_agg(c) INTO v_left FROM unnest(v_calls) c WHERE c.id <> ALL(ARRAY(SELECT v.id FROM unnest(v_moved) v));
    -- A final status stays, so this statement and the one below see the same status.
    UPDATE messages m SET late_status = c.status, late_at_ms = v_now, late_reason = (c.report).reason FROM unnest(v_left) c
      WHERE m.id = c.id AND m.device_id = c.device_id
        AND (m.status = ${status.CANCELLED} OR (m.status IN (${FINAL}) AND c.status <> ${status.DELIVERED} AND c.status <> m.status))
        -- DELIVERED does not replace a final report.
        AND (c.status <> ${status.DELIVERED} OR m.late_status IS NULL OR m.late_status = ${status.DELIVERED});
  END IF;
  -- One row with n for each call, and rows with what became of its message. A group needs no join of arrays, which would compare
  -- each call with each result.
  RETURN (SELECT json_agg(r.result ORDER BY r.n) FROM (
    SELECT max(u.n) AS n, CASE WHEN count(u.moved) + count(u.status) > 0 THEN json_build_object(
        'moved', (array_agg(u.moved) FILTER (WHERE u.moved IS NOT NULL))[1], 'status', max(u.status), 'transport', max(u.transport)) END AS result
    FROM (
      SELECT (e->>'id')::bigint AS id, n, NULL::json AS moved, NULL::smallint AS status, NULL::text AS transport
        FROM json_array_elements(p_calls) WITH ORDINALITY i(e, n)
      UNION ALL SELECT v.id, NULL, row_to_json(v), NULL, NULL FROM unnest(v_moved) v
      UNION ALL SELECT e.id, NULL, NULL, NULL, e.transport FROM unnest(v_ended, v_transports) e(id, transport)
      UNION ALL SELECT c.id, NULL, NULL, m.status, NULL
        FROM unnest(v_left) c JOIN messages m ON m.id = c.id WHERE m.device_id = c.device_id) u
    GROUP BY u.id) r);
END $$;
`
