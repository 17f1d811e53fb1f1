/** Changes the settings of devices. */

export const DEVICE_SETTINGS_FUNCTIONS = /* sql */ `
-- Numbers the changes. A number is drawn while the device is locked, so the numbers of a device grow in the order of its commits.
CREATE SEQUENCE settings_versions;
ALTER TABLE device_settings ADD COLUMN version bigint NOT NULL DEFAULT 0;

-- Replaces the settings of different devices. Each call: {device_id, settings, audit}; settings null: the device has none of its
-- own. Returns {version, line} for each.
CREATE FUNCTION change_device_settings(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_call record; v_version bigint; v_line json; v_results json[] := '{}';
BEGIN
  PERFORM pg_advisory_xact_lock(9, s.h) FROM (SELECT DISTINCT hashtext(c->>'device_id') AS h FROM json_array_elements(p_calls) c ORDER BY 1) s;
  FOR v_call IN SELECT * FROM json_to_recordset(p_calls) c(device_id text, settings json, audit json) LOOP
    v_version := nextval('settings_versions');
    IF v_call.settings IS NULL THEN
      DELETE FROM device_settings WHERE device_id = v_call.device_id;
    ELSE
      INSERT INTO device_settings (device_id, settings, version) VALUES (v_call.device_id, v_call.settings, v_version)
        ON CONFLICT (device_id) DO UPDATE SET settings = excluded.settings, version = excluded.version;
    END IF;
    INSERT INTO changes (origin, kind, subject, content)
      VALUES (p_node, 'settings', v_call.device_id, json_build_object('version', v_version, 'settings', v_call.settings));
    v_line := add_audit_line(v_call.audit);
    v_results := v_results || json_build_object('version', v_version, 'line', v_line);
  END LOOP;
  RETURN array_to_json(v_results);
END $$;
`
