/** Takes devices out of service, and stores notes about devices. */
import { MAX_NOTES } from '../../../broker/contract/device-notes.ts'
import { outcome } from './codes.ts'

export const DEVICE_SERVICE = /* sql */ `
CREATE TABLE device_service (
  device_id text COLLATE "C" PRIMARY KEY,
  since_ms bigint NOT NULL,
  -- Null: until a person ends it. A time that ended by its date stays until the next change of its device.
  until_ms bigint,
  reason text NOT NULL,
  by text COLLATE "C"
);

CREATE TABLE device_notes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL,
  at_ms bigint NOT NULL,
  by text COLLATE "C",
  text text NOT NULL
);
CREATE INDEX device_notes_device ON device_notes (device_id, id);

-- Ends the open attempts of devices that are out of service. Returns an array of {transport, isExpired}.
CREATE FUNCTION end_attempts_out_of_service(p_devices text[]) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_now bigint; v_ended attempt_ended[];
BEGIN
  PERFORM lock_lines(p_devices);
  v_now := now_ms();
  v_ended := end_attempts(v_now, (
    SELECT array_agg((0, q.device_id, q.id, q.attempts, q.attempt_at_ms, ${outcome.BUSY})::attempt_end)
    FROM device_service s
    CROSS JOIN LATERAL (SELECT l.in_flight_id FROM device_lines l WHERE l.device_id = s.device_id LIMIT 1) l
    CROSS JOIN LATERAL (SELECT q.* FROM pending q
      WHERE q.device_id = s.device_id AND NOT q.delayed AND q.id = l.in_flight_id AND q.attempt_until_ms IS NOT NULL LIMIT 1) q
    WHERE s.device_id = ANY(p_devices) AND (s.until_ms IS NULL OR s.until_ms > v_now)));
  RETURN (SELECT coalesce(json_agg(json_build_object('transport', e.transport, 'isExpired', e.is_expired)), '[]') FROM unnest(v_ended) e);
END $$;

-- Time until the end of a time out of service, at most its whole duration; null without an end.
CREATE FUNCTION service_rest(s device_service, p_now bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT least(s.until_ms - p_now, s.until_ms - s.since_ms) $$;

-- Changes the service of different devices: "changes" has {device_id, service, audit} for each; service null: in service. Returns
-- {outcomes, ended}: for each change {seq, isChanged, service, line}, and the ends of attempts.
CREATE FUNCTION change_service(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_change record; v_devices text[]; v_now bigint; v_old device_service; v_new device_service; v_isChanged boolean; v_seq bigint;
  v_service json; v_outcomes json[] := '{}';
BEGIN
  v_devices := ARRAY(SELECT c->>'device_id' FROM json_array_elements(p_call->'changes') c);
  PERFORM pg_advisory_xact_lock(10, s.h) FROM (SELECT DISTINCT hashtext(d) AS h FROM unnest(v_devices) d ORDER BY 1) s;
  v_now := now_ms();
  FOR v_change IN SELECT * FROM json_to_recordset(p_call->'changes') c(device_id text, service json, audit json) LOOP
    SELECT * INTO v_old FROM device_service s
      WHERE s.device_id = v_change.device_id AND (s.until_ms IS NULL OR s.until_ms > v_now);
    v_new := NULL;
    IF json_typeof(v_change.service) = 'object' THEN
      SELECT v_change.device_id, least(coalesce(v_old.since_ms, v_now), v_now), n."untilMs", n.reason, n.by INTO v_new
        FROM json_to_record(v_change.service) n("untilMs" bigint, reason text, by text);
    END IF;
    v_isChanged := v_new.reason IS DISTINCT FROM v_old.reason OR v_new.until_ms IS DISTINCT FROM v_old.until_ms;
    v_seq := nextval('change_numbers');
    IF NOT v_isChanged THEN v_new := v_old;
    ELSIF v_new.reason IS NULL THEN DELETE FROM device_service s WHERE s.device_id = v_change.device_id;
    ELSE
      INSERT INTO device_service SELECT v_new.* ON CONFLICT (device_id) DO UPDATE
        SET since_ms = excluded.since_ms, until_ms = excluded.until_ms, reason = excluded.reason, by = excluded.by;
    END IF;
    v_service := CASE WHEN v_new.reason IS NOT NULL THEN json_build_object('sinceMs', v_new.since_ms, 'untilMs', v_new.until_ms,
      'reason', v_new.reason, 'by', v_new."by", 'forMs', service_rest(v_new, v_now)) END;
    IF v_isChanged THEN
      INSERT INTO changes (seq, origin, kind, subject, until_ms, content)
        VALUES (v_seq, p_node, 'service', v_change.device_id, v_new.until_ms, v_service);
    END IF;
    v_outcomes := v_outcomes || json_build_object('seq', v_seq, 'isChanged', v_isChanged, 'service', v_service,
      'line', CASE WHEN v_isChanged THEN add_audit_line(v_change.audit) END);
  END LOOP;
  RETURN json_build_object('outcomes', array_to_json(v_outcomes), 'ended', end_attempts_out_of_service(v_devices));
END $$;

-- Ends the attempts that began on another node before it knew of the change.
CREATE FUNCTION settle_service(p_call json) RETURNS json LANGUAGE sql AS $$
  SELECT json_build_object('ended', end_attempts_out_of_service(ARRAY(SELECT json_array_elements_text(p_call->'devices')))) $$;

-- Returns {note, line}; the note is null when the device has too many.
CREATE FUNCTION add_note(p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_note device_notes; v_new json := p_call->'note';
BEGIN
  PERFORM pg_advisory_xact_lock(10, hashtext(v_new->>'deviceId'));
  IF (SELECT count(*) FROM device_notes n WHERE n.device_id = v_new->>'deviceId') >= ${MAX_NOTES} THEN
    RETURN json_build_object('note', NULL);
  END IF;
  INSERT INTO device_notes (device_id, at_ms, by, text)
    VALUES (v_new->>'deviceId', now_ms(), v_new->>'by', v_new->>'text') RETURNING * INTO v_note;
  RETURN json_build_object('note', json_build_object('id', v_note.id, 'atMs', v_note.at_ms),
    'line', add_audit_line(with_detail(entry_of(p_call), 'noteId', v_note.id)));
END $$;

CREATE FUNCTION remove_note(p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM device_notes WHERE device_id = p_call->>'deviceId' AND id = (p_call->>'id')::bigint;
  RETURN json_build_object('removed', FOUND, 'line', CASE WHEN FOUND THEN add_audit_line(entry_of(p_call)) END);
END $$;
`
