/** Creates the tables for the links between nodes and for retained messages. */

export const TELEMETRY_TABLES = /* sql */ `
CREATE TABLE mqtt_listeners (
  node_id int PRIMARY KEY,
  scheme text COLLATE "C" NOT NULL,
  host text COLLATE "C" NOT NULL,
  port int NOT NULL
);

CREATE TABLE mqtt_retained (
  topic text COLLATE "C" PRIMARY KEY,
  -- JSON as the node wrote it.
  content text NOT NULL,
  -- By the clock of the node; null: never.
  expires_at_ms bigint
);
CREATE INDEX mqtt_retained_expires ON mqtt_retained (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
`

export const TELEMETRY_FUNCTIONS = /* sql */ `
CREATE TYPE retain_call AS (
  topic text,
  -- The topic as JSON, in which every character is possible.
  topic_json text,
  content text,
  expires_at_ms bigint
);

-- Performs calls of RetainedDirectory.put. All nodes lock the topics of a batch in one order. The news of a topic name it alone:
-- each node reads what is retained then, so that many changes of a topic cost one read.
CREATE FUNCTION retain(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_call record;
BEGIN
  FOR v_call IN
    SELECT c.*, row_number() OVER () AS no FROM json_populate_recordset(NULL::retain_call, p_calls) c ORDER BY c.topic, no
  LOOP
    IF v_call.content IS NULL THEN
      DELETE FROM mqtt_retained r WHERE r.topic = v_call.topic;
    ELSE
      INSERT INTO mqtt_retained (topic, content, expires_at_ms) VALUES (v_call.topic, v_call.content, v_call.expires_at_ms)
        ON CONFLICT (topic) DO UPDATE SET content = excluded.content, expires_at_ms = excluded.expires_at_ms;
    END IF;
    PERFORM add_news(p_node, '', ('{"is":"retained","topic":' || v_call.topic_json || '}')::json);
  END LOOP;
  RETURN (SELECT json_agg(NULL::int) FROM json_array_elements(p_calls));
END $$;
`
