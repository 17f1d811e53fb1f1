/** Returns UNKNOWN messages to their queues. */
import { deadline, guarantee, status } from './codes.ts'

export const REPLAY_FUNCTIONS = /* sql */ `
-- The items are the messages with the limits of their queues. A call for many messages always adds its audit line.
CREATE TYPE replay_call AS (changed_by text, is_many boolean, items json, audit json);
CREATE TYPE replay_item AS (id bigint, max_messages bigint, max_bytes bigint);

-- Puts a message into its queue, without a change of its status. Returns null, or why not: {error}, with the state of the
-- message or of the queue. The caller holds the lock of the device.
CREATE FUNCTION put_back(p_item replay_item, p_now bigint) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_message record; v_count bigint; v_used bigint; v_next record; v_place bigint; v_byte bigint;
BEGIN
  SELECT m.device_id, m.status, m.guarantee, m.expires_at_ms, unescaped_bytes(m.command) + unescaped_bytes(m.data) AS bytes
    INTO v_message FROM messages m WHERE m.id = p_item.id;
  IF NOT FOUND THEN RETURN json_build_object('error', 'unknown-message'); END IF;
  IF v_message.status <> ${status.UNKNOWN} OR v_message.guarantee = ${guarantee.NO} THEN
    RETURN json_build_object('error', 'not-unknown', 'status', v_message.status, 'guarantee', v_message.guarantee);
  END IF;
  IF v_message.expires_at_ms <= p_now THEN RETURN json_build_object('error', 'expired'); END IF;
  SELECT count(*), coalesce(sum(q.bytes), 0) INTO v_count, v_used FROM pending q WHERE q.device_id = v_message.device_id;
  IF NOT has_room(v_count, v_used, v_message.bytes, p_item.max_messages, p_item.max_bytes) THEN
    RETURN json_build_object('error', 'queue-full', 'waiting', v_count, 'bytes', v_used, 'message_bytes', v_message.bytes, 'device_id', v_message.device_id);
  END IF;
  -- The place is the one before the next younger message. The older ones move down when it is not free, so that places stay
  -- unique and in the order of the ids, and the difference of two places is at least the number of messages between them.
  SELECT q.place - 1 AS place, q.bytes_place - q.bytes AS byte INTO v_next
    FROM pending q WHERE q.device_id = v_message.device_id AND q.id > p_item.id ORDER BY q.id LIMIT 1;
  IF FOUND THEN
    v_place := v_next.place;
    v_byte := v_next.byte;
    IF EXISTS (SELECT FROM pending q WHERE q.device_id = v_message.device_id AND q.id < p_item.id
        AND (q.place >= v_place OR q.bytes_place > v_byte - v_message.bytes)) THEN
      PERFORM FROM pending q WHERE q.device_id = v_message.device_id AND q.id < p_item.id ORDER BY q.id FOR UPDATE;
      UPDATE pending q SET place = q.place - 1, bytes_place = q.bytes_place - v_message.bytes
        WHERE q.device_id = v_message.device_id AND q.id < p_item.id;
    END IF;
  ELSE
    SELECT coalesce(max(q.place), 0) + 1, coalesce(max(q.bytes_place), 0) + v_message.bytes INTO v_place, v_byte
      FROM pending q WHERE q.device_id = v_message.device_id;
  END IF;
  INSERT INTO pending (device_id, delayed, id, place, bytes_place, bytes, attempts, guarantee, command, expires_at_ms, due_at_ms, finish_seconds, max_attempts,
      attempt_at_ms, attempt_transport, attempt_outcome, attempt_refused)
    -- A clock that was set back behind the time of the message cannot tell how much of the delay is left.
    SELECT m.device_id, (m.due_at_ms > p_now AND m.created_at_ms <= p_now) IS TRUE, m.id, v_place, v_byte, v_message.bytes, m.attempts, m.guarantee, m.command,
      m.expires_at_ms, m.due_at_ms, m.finish_seconds, m.max_attempts, m.attempt_at_ms, m.attempt_transport, m.attempt_outcome, m.attempt_refused
    FROM messages m WHERE m.id = p_item.id;
  RETURN NULL;
END $$;

-- Replays the messages of one call, and returns [{answers, moved, line}]: answers has null for each replayed message.
-- All rows in pending are locked or inserted before the first message is changed, as in every other function.
CREATE FUNCTION replay_messages(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_call replay_call; v_items replay_item[]; v_devices text[]; v_answers json[]; v_moved moved[]; v_now bigint; v_n int;
BEGIN
  v_call := json_populate_record(NULL::replay_call, p_calls->0);
  SELECT coalesce(array_agg(i ORDER BY i.id), '{}') INTO v_items FROM json_populate_recordset(NULL::replay_item, v_call.items) i;
  SELECT array_agg((SELECT m.device_id FROM messages m WHERE m.id = i.id) ORDER BY i.ordinality) INTO v_devices FROM unnest(v_items) WITH ORDINALITY i;
  PERFORM pg_advisory_xact_lock(7, h) FROM (SELECT DISTINCT hashtext(d) AS h FROM unnest(v_devices) d WHERE d IS NOT NULL ORDER BY 1) s;
  v_now := now_ms();
  v_answers := array_fill(NULL::json, ARRAY[cardinality(v_items)]);
  FOR v_n IN SELECT i.ordinality FROM unnest(v_items) WITH ORDINALITY i ORDER BY v_devices[i.ordinality], i.id LOOP
    v_answers[v_n] := put_back(v_items[v_n], v_now);
  END LOOP;
  v_moved := apply_moves(p_node, (
    SELECT coalesce(array_agg((i.id, 'replayed', v_call.changed_by, NULL, NULL, NULL)::move), '{}')
    FROM unnest(v_items) WITH ORDINALITY i WHERE v_answers[i.ordinality] IS NULL));
  IF cardinality(v_moved) < (SELECT count(*) FROM generate_series(1, cardinality(v_items)) n WHERE v_answers[n] IS NULL) THEN
    -- The device acknowledged a message between the two statements.
    DELETE FROM pending q USING unnest(v_items) WITH ORDINALITY i
      WHERE v_answers[i.ordinality] IS NULL AND NOT EXISTS (SELECT FROM unnest(v_moved) m WHERE m.id = i.id)
        AND q.device_id = v_devices[i.ordinality] AND q.delayed = ANY('{false,true}') AND q.id = i.id;
    SELECT array_agg(coalesce(v_answers[i.ordinality], (
        SELECT json_build_object('error', 'not-unknown', 'status', m.status, 'guarantee', m.guarantee) FROM messages m
        WHERE m.id = i.id AND NOT EXISTS (SELECT FROM unnest(v_moved) v WHERE v.id = i.id))) ORDER BY i.ordinality)
      INTO v_answers FROM unnest(v_items) WITH ORDINALITY i;
  END IF;
  INSERT INTO deadlines (at_ms, kind, message_id, device_id)
    SELECT m.expires_at_ms, ${deadline.EXPIRES}, m.id, m.device_id FROM unnest(v_moved) m WHERE m.expires_at_ms IS NOT NULL ON CONFLICT DO NOTHING;
  RETURN json_build_array(json_build_object('answers', to_json(v_answers),
    'moved', (SELECT json_agg(m ORDER BY m.id) FROM unnest(v_moved) m),
    'line', CASE WHEN cardinality(v_moved) > 0 THEN
      add_audit_line(CASE WHEN v_call.is_many THEN with_detail(v_call.audit, 'count', cardinality(v_moved)) ELSE v_call.audit END) END));
END $$;
`
