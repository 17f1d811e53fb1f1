/** Changes of administrators: clients, API keys, templates, and audit lines. One verb for all. */
import { VISIT_MS } from '../../../auth/clients.ts'
import { TEMPLATE_TERM_SQL } from './terms.ts'

export const ADMIN_FUNCTIONS = /* sql */ `
-- Performs calls of administrators, one after the other. The member "verb" of a call names its function; the member "audit"
-- is null or an entry of the audit trail. A refused call returns {error}.
CREATE FUNCTION administer(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_call json; v_results json[] := '{}';
BEGIN
  FOR v_call IN SELECT value FROM json_array_elements(p_calls) LOOP
    v_results := v_results || CASE v_call->>'verb'
      WHEN 'addClient' THEN add_client(p_node, v_call)
      WHEN 'replaceClient' THEN replace_client(p_node, v_call)
      WHEN 'removeClient' THEN remove_client(p_node, v_call)
      WHEN 'recordLogins' THEN record_logins(v_call)
      WHEN 'addKey' THEN add_key(p_node, v_call)
      WHEN 'removeKey' THEN remove_key(p_node, v_call)
      WHEN 'recordKeyUse' THEN record_key_use(p_node, v_call)
      WHEN 'addTemplate' THEN add_template(v_call)
      WHEN 'replaceTemplate' THEN replace_template(v_call)
      WHEN 'removeTemplate' THEN remove_template(v_call)
      WHEN 'putAlertAck' THEN put_alert_ack(v_call)
      WHEN 'removeAlertAck' THEN remove_alert_ack(v_call)
      WHEN 'addLine' THEN json_build_object('line', add_audit_line(v_call->'audit'))
      WHEN 'completeLine' THEN complete_line(v_call)
      WHEN 'changeService' THEN change_service(p_node, v_call)
      WHEN 'settleService' THEN settle_service(v_call)
      WHEN 'addNote' THEN add_note(v_call)
      WHEN 'removeNote' THEN remove_note(v_call)
      WHEN 'changeIncidents' THEN change_incidents(v_call)
      WHEN 'setIncidentRules' THEN set_incident_rules(v_call)
    END;
  END LOOP;
  RETURN array_to_json(v_results);
END $$;

-- Returns the entry of a call; null when the call has none.
CREATE FUNCTION entry_of(p_call json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN json_typeof(p_call->'audit') = 'object' THEN p_call->'audit' END $$;

-- Writes a change of a record to the journal. Returns {change, line}: what the nodes receive, and the line of the audit trail.
CREATE FUNCTION record_changed(p_node int, p_kind text, p_subject text, p_change json, p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (origin, kind, subject, content) VALUES (p_node, p_kind, p_subject, p_change);
  RETURN json_build_object('change', p_change, 'line', add_audit_line(entry_of(p_call)));
END $$;

CREATE FUNCTION client_change(c clients) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', c.id, 'revision', c.revision, 'record', json_build_object('id', c.id, 'deviceId', c.device_id,
    'passwordHash', c.password_hash, 'role', c.role, 'description', c.description, 'devices', c.devices,
    'ownQueueOnly', c.own_queue_only, 'changedAtMs', c.changed_at_ms)) $$;

CREATE TYPE client_fields AS (
  "deviceId" text COLLATE "C", "passwordHash" text, role text, description text, devices text[], "ownQueueOnly" boolean, "changedAtMs" bigint
);

CREATE FUNCTION client_fields_of(c clients) RETURNS client_fields LANGUAGE sql STABLE AS $$
  SELECT (c.device_id, c.password_hash, c.role, c.description, c.devices, c.own_queue_only, c.changed_at_ms)::client_fields $$;

CREATE FUNCTION add_client(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_new client_fields := json_populate_record(NULL::client_fields, p_call->'client'); v_client clients;
BEGIN
  IF (p_call->>'first')::boolean THEN
    -- Two nodes that start at once: the second one waits here, and then reads the admin of the first one.
    LOCK TABLE clients IN SHARE ROW EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM clients WHERE role = 'MAN') THEN RETURN json_build_object('error', 'has-admin'); END IF;
  END IF;
  INSERT INTO clients (device_id, password_hash, role, description, devices, own_queue_only, changed_at_ms)
    SELECT v_new.* ON CONFLICT (device_id) DO NOTHING RETURNING * INTO v_client;
  IF NOT FOUND THEN RETURN json_build_object('error', 'client-exists'); END IF;
  RETURN record_changed(p_node, 'client', v_client.device_id, client_change(v_client), p_call);
END $$;

-- Locks the admins before a client changes, so that the admins are counted by one transaction at a time.
CREATE FUNCTION lock_admins() RETURNS void LANGUAGE plpgsql AS $$
BEGIN PERFORM FROM clients WHERE role = 'MAN' ORDER BY id FOR UPDATE; END $$;

-- True when a client is the only admin. The caller has locked the admins.
CREATE FUNCTION is_last_admin(c clients) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT c.role = 'MAN' AND NOT EXISTS (SELECT FROM clients WHERE role = 'MAN' AND id <> c.id) $$;

-- "before" is the record that the change was made from; null accepts every record.
CREATE FUNCTION replace_client(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_new client_fields := json_populate_record(NULL::client_fields, p_call->'client');
  v_before client_fields := json_populate_record(NULL::client_fields, (p_call->>'before')::json); v_client clients;
BEGIN
  PERFORM lock_admins();
  SELECT * INTO v_client FROM clients WHERE id = (p_call->>'id')::bigint FOR UPDATE;
  IF NOT FOUND THEN RETURN json_build_object('error', 'unknown-client'); END IF;
  IF json_typeof(p_call->'before') = 'object' AND client_fields_of(v_client) IS DISTINCT FROM v_before THEN
    RETURN json_build_object('error', 'changed', 'change', client_change(v_client));
  END IF;
  IF v_new.role <> 'MAN' AND is_last_admin(v_client) THEN RETURN json_build_object('error', 'last-admin'); END IF;
  IF EXISTS (SELECT FROM clients WHERE device_id = v_new."deviceId" AND id <> v_client.id) THEN
    RETURN json_build_object('error', 'client-exists');
  END IF;
  UPDATE clients SET device_id = v_new."deviceId", password_hash = v_new."passwordHash", role = v_new.role,
      description = v_new.description, devices = v_new.devices, own_queue_only = v_new."ownQueueOnly",
      changed_at_ms = v_new."changedAtMs", revision = nextval('record_revisions')
    WHERE id = v_client.id RETURNING * INTO v_client;
  RETURN record_changed(p_node, 'client', v_client.device_id, client_change(v_client), p_call);
EXCEPTION WHEN unique_violation THEN RETURN json_build_object('error', 'client-exists');
END $$;

CREATE FUNCTION remove_client(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_client clients;
BEGIN
  PERFORM lock_admins();
  SELECT * INTO v_client FROM clients WHERE id = (p_call->>'id')::bigint FOR UPDATE;
  IF NOT FOUND THEN RETURN json_build_object('error', 'unknown-client'); END IF;
  IF is_last_admin(v_client) THEN RETURN json_build_object('error', 'last-admin'); END IF;
  DELETE FROM clients WHERE id = v_client.id;
  DELETE FROM client_logins WHERE client_id = v_client.id;
  RETURN record_changed(p_node, 'client', v_client.device_id,
    json_build_object('id', v_client.id, 'revision', nextval('record_revisions'), 'record', NULL), p_call);
END $$;

-- The rows are in the order of their clients, so that two nodes lock them in one order.
CREATE FUNCTION record_logins(p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO client_logins (client_id, at_ms)
    SELECT c.id, (t.value->>1)::bigint FROM json_array_elements(p_call->'times') t JOIN clients c ON c.id = (t.value->>0)::bigint
    ORDER BY c.id
    ON CONFLICT (client_id) DO UPDATE SET at_ms = greatest(client_logins.at_ms, excluded.at_ms),
      previous_ms = CASE WHEN excluded.at_ms - client_logins.at_ms >= ${VISIT_MS} THEN client_logins.at_ms ELSE client_logins.previous_ms END;
  RETURN json_build_object('error', NULL);
END $$;

CREATE FUNCTION key_change(k api_keys) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', k.id, 'revision', k.revision, 'record', json_build_object('id', k.id, 'clientId', k.client_id,
    'hash', k.hash, 'description', k.description, 'createdAtMs', k.created_at_ms, 'lastUsedAtMs', k.last_used_at_ms,
    'expiresAtMs', k.expires_at_ms)) $$;

CREATE FUNCTION add_key(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_key api_keys; v_client bigint := (p_call->'key'->>'clientId')::bigint;
BEGIN
  -- Two nodes that add the last key at once: the second one waits here, and then counts the key of the first one.
  PERFORM FROM clients WHERE id = v_client FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM api_keys WHERE client_id = v_client) >= (p_call->>'max')::int THEN
    RETURN json_build_object('error', 'too-many-keys');
  END IF;
  INSERT INTO api_keys (id, client_id, hash, description, created_at_ms, last_used_at_ms, expires_at_ms)
    SELECT k.id, k."clientId", k.hash, k.description, k."createdAtMs", k."lastUsedAtMs", k."expiresAtMs"
    FROM json_to_record(p_call->'key') k(id bigint, "clientId" bigint, hash text, description text, "createdAtMs" bigint,
      "lastUsedAtMs" bigint, "expiresAtMs" bigint)
    RETURNING * INTO v_key;
  RETURN record_changed(p_node, 'key', v_key.id::text, key_change(v_key), p_call);
EXCEPTION WHEN foreign_key_violation THEN RETURN json_build_object('error', 'unknown-client');
END $$;

CREATE FUNCTION remove_key(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_id bigint := (p_call->>'id')::bigint;
BEGIN
  DELETE FROM api_keys WHERE id = v_id;
  IF NOT FOUND THEN RETURN json_build_object('error', 'unknown-key'); END IF;
  RETURN record_changed(p_node, 'key', v_id::text,
    json_build_object('id', v_id, 'revision', nextval('record_revisions'), 'record', NULL), p_call);
END $$;

-- The nodes learn of a use too, so that only one of them records it.
CREATE FUNCTION record_key_use(p_node int, p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_key api_keys;
BEGIN
  UPDATE api_keys SET last_used_at_ms = greatest(last_used_at_ms, (p_call->>'atMs')::bigint), revision = nextval('record_revisions')
    WHERE id = (p_call->>'id')::bigint RETURNING * INTO v_key;
  IF NOT FOUND THEN RETURN json_build_object('error', 'unknown-key'); END IF;
  RETURN record_changed(p_node, 'key', v_key.id::text, key_change(v_key), p_call);
END $$;

-- Returns {id, line}; the id is null when the owner does not exist.
CREATE FUNCTION add_template(p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_id bigint; v_entry json := entry_of(p_call);
BEGIN
  INSERT INTO templates (client_id, description, command, guarantee, ${TEMPLATE_TERM_SQL.columns}, data)
    SELECT t."clientId", t.description, t.command, t.guarantee, ${TEMPLATE_TERM_SQL.values}, t.data
    FROM json_to_record(p_call->'template') t("clientId" bigint, description text, command text, guarantee smallint,
      ${TEMPLATE_TERM_SQL.members}, data text)
    RETURNING id INTO v_id;
  IF v_entry IS NOT NULL THEN v_entry := (v_entry::jsonb || jsonb_build_object('object', v_id::text))::json; END IF;
  RETURN json_build_object('id', v_id, 'line', add_audit_line(v_entry));
EXCEPTION WHEN foreign_key_violation THEN RETURN json_build_object('id', NULL);
END $$;

-- Returns {id, line}; the id is null when there is no such template, or the owner does not exist.
CREATE FUNCTION replace_template(p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_id bigint;
BEGIN
  UPDATE templates o SET client_id = t."clientId", description = t.description, command = t.command, guarantee = t.guarantee,
      ${TEMPLATE_TERM_SQL.changes}, data = t.data
    FROM json_to_record(p_call->'template') t("clientId" bigint, description text, command text, guarantee smallint,
      ${TEMPLATE_TERM_SQL.members}, data text)
    WHERE o.id = (p_call->>'id')::bigint RETURNING o.id INTO v_id;
  RETURN json_build_object('id', v_id, 'line', CASE WHEN v_id IS NOT NULL THEN add_audit_line(entry_of(p_call)) END);
EXCEPTION WHEN foreign_key_violation THEN RETURN json_build_object('id', NULL);
END $$;

CREATE FUNCTION remove_template(p_call json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_id bigint;
BEGIN
  DELETE FROM templates WHERE id = (p_call->>'id')::bigint RETURNING id INTO v_id;
  RETURN json_build_object('id', v_id, 'line', CASE WHEN v_id IS NOT NULL THEN add_audit_line(entry_of(p_call)) END);
END $$;

CREATE FUNCTION put_alert_ack(p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM alert_acks WHERE at_ms < now_ms() - (p_call->>'ackMs')::bigint;
  INSERT INTO alert_acks (key, by, at_ms, count, note)
    SELECT a.key, a.by, now_ms(), a.count, a.note FROM json_to_record(p_call->'ack') a(key text, by text, count int, note text)
    ON CONFLICT (key) DO UPDATE SET by = excluded.by, at_ms = excluded.at_ms, count = excluded.count, note = excluded.note;
  RETURN json_build_object('line', add_audit_line(entry_of(p_call)));
END $$;

CREATE FUNCTION remove_alert_ack(p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM alert_acks WHERE key = p_call->>'key';
  RETURN json_build_object('removed', FOUND, 'line', CASE WHEN FOUND THEN add_audit_line(entry_of(p_call)) END);
END $$;

CREATE FUNCTION complete_line(p_call json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  UPDATE audit SET detail = p_call->'detail' WHERE id = (p_call->>'id')::bigint;
  RETURN '{}';
END $$;

-- Removes at most p_limit lines from before a time. Returns their number.
CREATE FUNCTION purge_lines(p_before_ms bigint, p_limit int) RETURNS int LANGUAGE sql AS $$
  WITH removed AS (DELETE FROM audit WHERE id = ANY(ARRAY(
    SELECT id FROM audit WHERE at_ms < p_before_ms ORDER BY at_ms LIMIT p_limit)) RETURNING id)
  SELECT count(*)::int FROM removed $$;
`
