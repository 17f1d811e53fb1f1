/** Creates the tables and functions of incidents. */
import { columnNames, INCIDENT_COLUMNS, MEMBER_COLUMNS } from '../../incident-rows.ts'

export const INCIDENT_SCHEMA = /* sql */ `
CREATE TABLE incidents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  started_ms bigint NOT NULL,
  -- A change names the value on which it is based.
  changed_ms bigint NOT NULL,
  ended_ms bigint,
  devices int NOT NULL,
  messages int NOT NULL,
  waiting int NOT NULL,
  most_devices int NOT NULL,
  most_messages int NOT NULL,
  ack_by text,
  -- Null: no person acknowledged or muted the incident.
  ack_ms bigint,
  ack_note text,
  ack_devices int,
  ack_messages int,
  muted_until_ms bigint,
  reopened int NOT NULL,
  merged_into bigint
);
CREATE UNIQUE INDEX incidents_open ON incidents (key) WHERE ended_ms IS NULL;
CREATE INDEX incidents_ended ON incidents (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX incidents_changed ON incidents (changed_ms, id);

CREATE TABLE incident_signals (
  incident_id bigint NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  device_id text COLLATE "C",
  message_id bigint,
  command text,
  reason text,
  address text,
  first_ms bigint NOT NULL,
  missing_since_ms bigint,
  ended_ms bigint,
  count int,
  PRIMARY KEY (incident_id, key)
);
CREATE UNIQUE INDEX incident_signals_open ON incident_signals (key) WHERE ended_ms IS NULL;
CREATE INDEX incident_signals_of_device ON incident_signals (device_id) WHERE device_id IS NOT NULL;

CREATE TABLE incident_lines (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  incident_id bigint NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
  at_ms bigint NOT NULL,
  kind text NOT NULL,
  by text,
  text text
);
CREATE INDEX incident_lines_of_incident ON incident_lines (incident_id, id);

-- Thresholds of administrators. Null: the default.
CREATE TABLE incident_rules (
  kind text PRIMARY KEY,
  is_enabled boolean NOT NULL,
  starts_at int,
  ends_at int,
  quiet_seconds int,
  min_messages int
);

-- Writes changes of incidents, or none of them: {changes: [{id, beforeMs, after, members, movedKeys, lines}]}. Returns {ids, line}; the
-- ids are null when an incident has changed meanwhile, or another node has begun one with the same cause.
CREATE FUNCTION change_incidents(p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_change json; v_id bigint; v_ids bigint[] := '{}'; v_number int := 0;
BEGIN
  PERFORM FROM incidents WHERE id IN (SELECT (c->>'id')::bigint FROM json_array_elements(p_call->'changes') c) ORDER BY id FOR UPDATE;
  IF EXISTS (SELECT FROM json_array_elements(p_call->'changes') c LEFT JOIN incidents i ON i.id = (c->>'id')::bigint
      WHERE c->>'id' IS NOT NULL AND i.changed_ms IS DISTINCT FROM (c->>'beforeMs')::bigint) THEN
    RETURN json_build_object('ids', NULL);
  END IF;
  -- Free the keys of members that ended or move, before another incident takes them.
  FOR v_change IN SELECT value FROM json_array_elements(p_call->'changes') LOOP
    v_id := (v_change->>'id')::bigint;
    DELETE FROM incident_signals s WHERE s.incident_id = v_id
      AND s.key IN (SELECT value FROM json_array_elements_text(v_change->'movedKeys'));
    UPDATE incident_signals s SET ended_ms = m.ended_ms
      FROM json_populate_recordset(NULL::incident_signals, v_change->'members') m
      WHERE s.incident_id = v_id AND s.key = m.key AND m.ended_ms IS NOT NULL;
  END LOOP;
  FOR v_change IN SELECT value FROM json_array_elements(p_call->'changes') LOOP
    v_id := (v_change->>'id')::bigint;
    IF v_id IS NULL THEN
      INSERT INTO incidents (${columnNames(INCIDENT_COLUMNS)})
        SELECT ${columnNames(INCIDENT_COLUMNS)} FROM json_populate_record(NULL::incidents, v_change->'after') RETURNING id INTO v_id;
    ELSE
      UPDATE incidents SET (${columnNames(INCIDENT_COLUMNS)}) =
        (SELECT ${columnNames(INCIDENT_COLUMNS)} FROM json_populate_record(NULL::incidents, v_change->'after')) WHERE id = v_id;
    END IF;
    v_ids := v_ids || v_id;
    INSERT INTO incident_lines (incident_id, at_ms, kind, by, text)
      SELECT v_id, (v_change->'after'->>'changed_ms')::bigint, l->>'kind', l->>'by', l->>'text'
      FROM json_array_elements(v_change->'lines') WITH ORDINALITY o(l, n) ORDER BY n;
  END LOOP;
  FOR v_change IN SELECT value FROM json_array_elements(p_call->'changes') LOOP
    v_number := v_number + 1;
    INSERT INTO incident_signals (incident_id, ${columnNames(MEMBER_COLUMNS)})
      SELECT v_ids[v_number], ${columnNames(MEMBER_COLUMNS)} FROM json_populate_recordset(NULL::incident_signals, v_change->'members')
      ON CONFLICT (incident_id, key) DO UPDATE SET (${columnNames(MEMBER_COLUMNS)}) = (${MEMBER_COLUMNS.map(([column]) => `excluded.${column}`).join(', ')});
  END LOOP;
  RETURN json_build_object('ids', v_ids, 'line', add_audit_line(entry_of(p_call)));
EXCEPTION WHEN unique_violation THEN RETURN json_build_object('ids', NULL);
END $$;

CREATE FUNCTION set_incident_rules(p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM incident_rules;
  INSERT INTO incident_rules SELECT * FROM json_populate_recordset(NULL::incident_rules, p_call->'rules');
  RETURN json_build_object('line', add_audit_line(entry_of(p_call)));
END $$;
`
