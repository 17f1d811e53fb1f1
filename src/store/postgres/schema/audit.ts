/** Adds audit lines in the transaction of their change. */

export const AUDIT_FUNCTIONS = /* sql */ `
-- Adds a line, and returns {id, atMs}; null for no entry. The entry is the JSON that auditCall() of audit.ts makes.
CREATE FUNCTION add_audit_line(p_entry json) RETURNS json LANGUAGE sql AS $$
  INSERT INTO audit (at_ms, client_id, key_id, address, action, object, detail)
  SELECT now_ms(), e.client_id, e.key_id, e.address, e.action, e.object, e.detail
  FROM json_to_record(p_entry) e(client_id text, key_id bigint, address text, action text, object text, detail json)
  WHERE e.action IS NOT NULL
  RETURNING json_build_object('id', id, 'atMs', at_ms) $$;

-- Returns an entry with a further member of its detail.
CREATE FUNCTION with_detail(p_entry json, p_name text, p_value bigint) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_entry IS NOT NULL THEN
    jsonb_set(p_entry::jsonb, '{detail}', (p_entry->'detail')::jsonb || jsonb_build_object(p_name, p_value))::json END $$;
`
