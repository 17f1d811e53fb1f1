/** Creates the tables and functions of MQTT sessions, connections, presence, rejections and import reports. */

export const SESSION_TABLES = /* sql */ `
-- Fences of all sessions, so that a session that begins anew has a larger one too.
CREATE SEQUENCE session_fences;

CREATE TABLE mqtt_sessions (
  session_id text COLLATE "C" PRIMARY KEY,
  -- Node that took the session last. It may have ended.
  node_id int NOT NULL,
  -- Number of the claim. The claim with the largest one has the session.
  fence bigint NOT NULL,
  -- JSON as the node wrote it; null: none.
  subscriptions text,
  expiry_seconds bigint NOT NULL,
  -- Null while the session has a connection.
  expires_at_ms bigint
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX mqtt_sessions_expiry ON mqtt_sessions (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
CREATE INDEX mqtt_sessions_of_node ON mqtt_sessions (node_id) WHERE expires_at_ms IS NULL;

-- Rows of nodes that do not live do not count, here and in device_presence.
CREATE TABLE connections (
  connection_id bigint PRIMARY KEY,
  node_id int NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  -- A ListedConnection.
  description json NOT NULL
);
CREATE INDEX connections_of_node ON connections (node_id);
CREATE INDEX connections_of_device ON connections (device_id, connection_id);

-- Tells whether the client, the session or the address of a connection contains one of the forms of a part.
CREATE FUNCTION is_found(p_device text, p_description json, p_forms text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT bool_or(strpos(lower(t.text COLLATE "C"), f.form COLLATE "C") > 0) FROM unnest(p_forms) f(form),
    unnest(ARRAY[p_device, p_description->>'clientId', p_description->>'address']) t(text) $$;

CREATE TABLE device_presence (
  node_id int NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  transport text COLLATE "C" NOT NULL,
  PRIMARY KEY (node_id, device_id)
);

CREATE TABLE rejections (
  key text COLLATE "C" PRIMARY KEY,
  at_ms bigint NOT NULL,
  first_at_ms bigint NOT NULL,
  count bigint NOT NULL,
  -- The latest Rejection, without the columns above.
  rejection json NOT NULL
);
CREATE INDEX rejections_by_age ON rejections (at_ms);

CREATE TABLE import_reports (
  id bigint PRIMARY KEY,
  node_id int NOT NULL,
  saved_at_ms bigint NOT NULL,
  report json NOT NULL
);
`

export const SESSION_FUNCTIONS = /* sql */ `
-- Returns the nodes that live. Only their beats tell, which each node counts by its own clock. p_silent: nodes that the caller
-- has not seen beat for the time of a lease.
CREATE FUNCTION living_nodes(p_silent int[]) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT n.node_id FROM nodes n WHERE NOT n.stopped AND n.node_id <> ALL(p_silent) $$;

-- Tells all other nodes the content of a News.
CREATE FUNCTION add_news(p_node int, p_subject text, p_news json) RETURNS void LANGUAGE sql AS $$
  INSERT INTO changes (origin, kind, subject, content) VALUES (p_node, 'news', p_subject, p_news);
$$;

CREATE TYPE session_call AS (
  op text,
  session_id text,
  -- The id as JSON, in which every character is possible.
  session_json text,
  fence bigint,
  is_clean boolean,
  expiry_seconds bigint,
  subscriptions text
);

-- Performs calls of SessionDirectory. All nodes lock the sessions of a batch in the order of their ids.
CREATE FUNCTION mqtt_sessions(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
  v_now bigint := now_ms();
  v_call record; v_session mqtt_sessions; v_is_found boolean; v_continues boolean; v_fence bigint;
  v_results json[];
BEGIN
  FOR v_call IN
    SELECT c.*, row_number() OVER () AS no FROM json_populate_recordset(NULL::session_call, p_calls) c ORDER BY c.session_id
  LOOP
    IF v_call.op = 'keep' THEN
      UPDATE mqtt_sessions s SET subscriptions = v_call.subscriptions WHERE s.session_id = v_call.session_id AND s.fence = v_call.fence;
    ELSIF v_call.op = 'release' AND v_call.expiry_seconds = 0 THEN
      DELETE FROM mqtt_sessions s WHERE s.session_id = v_call.session_id AND s.fence = v_call.fence;
    ELSIF v_call.op = 'release' THEN
      UPDATE mqtt_sessions s SET expiry_seconds = v_call.expiry_seconds, expires_at_ms = v_now + v_call.expiry_seconds * 1000
        WHERE s.session_id = v_call.session_id AND s.fence = v_call.fence;
    ELSE
      LOOP
        SELECT * INTO v_session FROM mqtt_sessions s WHERE s.session_id = v_call.session_id FOR UPDATE;
        v_is_found := FOUND;
        -- Drawn behind the lock, so that the later claim has the larger fence.
        v_fence := nextval('session_fences');
        EXIT WHEN v_is_found;
        INSERT INTO mqtt_sessions (session_id, node_id, fence, expiry_seconds)
          VALUES (v_call.session_id, p_node, v_fence, v_call.expiry_seconds) ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
      END LOOP;
      v_continues := v_is_found AND NOT v_call.is_clean AND (v_session.expires_at_ms > v_now) IS NOT FALSE;
      IF v_is_found THEN
        IF NOT v_continues OR v_session.expiry_seconds = 0 THEN v_session.subscriptions := NULL; END IF;
        UPDATE mqtt_sessions s SET node_id = p_node, fence = v_fence, subscriptions = v_session.subscriptions,
            expiry_seconds = v_call.expiry_seconds, expires_at_ms = NULL
          WHERE s.session_id = v_call.session_id;
        IF v_session.node_id <> p_node THEN
          PERFORM add_news(p_node, v_call.session_id, ('{"is":"session-taken","sessionId":' || v_call.session_json || ',"fence":' || v_fence
            || ',"isClean":' || v_call.is_clean || '}')::json);
        END IF;
      END IF;
      v_results[v_call.no] := json_build_object('fence', v_fence,
        'previous', CASE WHEN v_continues THEN v_session.fence END,
        'subscriptions', CASE WHEN v_continues THEN v_session.subscriptions END);
      CONTINUE;
    END IF;
    v_results[v_call.no] := 'null';
  END LOOP;
  RETURN array_to_json(v_results);
END $$;

-- Stores what a node shares, by the operation of each call. All nodes perform the operations of a batch in one order.
CREATE FUNCTION share(p_node int, p_calls json) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_call json; v_no bigint; v_id bigint; v_results json[];
BEGIN
  FOR v_call, v_no IN
    SELECT c.value, c.ordinality FROM json_array_elements(p_calls) WITH ORDINALITY c ORDER BY c.value->>'op', c.ordinality
  LOOP
    v_results[v_no] := 'null';
    CASE v_call->>'op'
    WHEN 'connection' THEN
      INSERT INTO connections (connection_id, node_id, device_id, description)
        VALUES ((v_call->>'id')::bigint, p_node, v_call->>'device_id', (v_call->>'description')::json)
        ON CONFLICT (connection_id) DO UPDATE SET device_id = excluded.device_id, description = excluded.description;
    WHEN 'connection-closed' THEN
      DELETE FROM connections c WHERE c.connection_id = (v_call->>'id')::bigint;
    WHEN 'presence' THEN
      IF (v_call->>'connected')::boolean THEN
        INSERT INTO device_presence (node_id, device_id, transport) VALUES (p_node, v_call->>'device_id', v_call->>'transport')
          ON CONFLICT (node_id, device_id) DO UPDATE SET transport = excluded.transport;
      ELSE
        DELETE FROM device_presence d WHERE d.node_id = p_node AND d.device_id = v_call->>'device_id';
      END IF;
      PERFORM add_news(p_node, v_call->>'device_id', (v_call->>'news')::json);
    WHEN 'listener' THEN
      -- Without a host it is the address from which the node connects to the database.
      INSERT INTO mqtt_listeners (node_id, scheme, host, port)
        VALUES (p_node, v_call->>'scheme', coalesce(v_call->>'host', host(inet_client_addr()), '127.0.0.1'), (v_call->>'port')::int)
        ON CONFLICT (node_id) DO UPDATE SET scheme = excluded.scheme, host = excluded.host, port = excluded.port;
      PERFORM add_news(p_node, '', '{"is":"node-listens"}');
    WHEN 'seen' THEN
      INSERT INTO sightings AS s (device_id, first_ms, last_ms)
        SELECT e->>0, (e->>1)::bigint, (e->>1)::bigint FROM json_array_elements(v_call->'devices') e ORDER BY 1
        ON CONFLICT (device_id) DO UPDATE SET last_ms = excluded.last_ms, xid = pg_current_xact_id() WHERE excluded.last_ms > s.last_ms;
    WHEN 'rejections' THEN
      INSERT INTO rejections AS r (key, at_ms, first_at_ms, count, rejection)
        SELECT e->>'key', (e->>'at_ms')::bigint, (e->>'first_at_ms')::bigint, (e->>'count')::bigint, (e->>'rejection')::json
        FROM json_array_elements(v_call->'rejections') e ORDER BY 1
        ON CONFLICT (key) DO UPDATE SET at_ms = greatest(r.at_ms, excluded.at_ms), first_at_ms = least(r.first_at_ms, excluded.first_at_ms),
          count = r.count + excluded.count, rejection = CASE WHEN excluded.at_ms >= r.at_ms THEN excluded.rejection ELSE r.rejection END;
    WHEN 'statistics' THEN
      PERFORM add_statistics(v_call->'minutes');
    WHEN 'import-begun' THEN
      -- One import at a time on all nodes. A node saves the report of its import about once a second, unless it lost its last save.
      PERFORM pg_advisory_xact_lock(7, 4);
      CONTINUE WHEN EXISTS (SELECT FROM import_reports i
        WHERE i.report->>'state' = 'RUNNING' AND i.saved_at_ms > now_ms() - 60000
          AND i.node_id IN (SELECT living_nodes(ARRAY(SELECT json_array_elements_text(v_call->'without')::int))));
      v_id := (v_call->>'id')::bigint;
      LOOP
        INSERT INTO import_reports (id, node_id, saved_at_ms, report) VALUES (v_id, p_node, now_ms(), (v_call->>'report')::json)
          ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
        v_id := v_id + 1;
      END LOOP;
      v_results[v_no] := to_json(v_id);
    WHEN 'import' THEN
      UPDATE import_reports i SET node_id = p_node, saved_at_ms = now_ms(), report = (v_call->>'report')::json
        WHERE i.id = (v_call->>'id')::bigint;
    END CASE;
  END LOOP;
  RETURN array_to_json(v_results);
END $$;

-- Removes what no node shows: rows of nodes that were removed, sessions that expired, and what is too old or too much. One
-- node at a time.
CREATE FUNCTION tidy_shared(p_rejections int, p_reports int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_now bigint := now_ms();
BEGIN
  IF NOT pg_try_advisory_xact_lock(7, 3) THEN RETURN; END IF;
  -- Each statement sees the row of a node that registers meanwhile, if it sees what that node stored.
  DELETE FROM connections c WHERE NOT EXISTS (SELECT FROM nodes n WHERE n.node_id = c.node_id);
  DELETE FROM device_presence d WHERE NOT EXISTS (SELECT FROM nodes n WHERE n.node_id = d.node_id);
  DELETE FROM mqtt_listeners l WHERE NOT EXISTS (SELECT FROM nodes n WHERE n.node_id = l.node_id);
  UPDATE mqtt_sessions s SET expires_at_ms = v_now + expiry_seconds * 1000
    WHERE expires_at_ms IS NULL AND NOT EXISTS (SELECT FROM nodes n WHERE n.node_id = s.node_id);
  DELETE FROM mqtt_sessions WHERE expires_at_ms <= v_now;
  -- The nodes drop an expired message themselves. An hour covers the difference between their clocks and this one.
  DELETE FROM mqtt_retained WHERE expires_at_ms <= v_now - 3600000;
  DELETE FROM rejections WHERE at_ms < (SELECT at_ms FROM rejections ORDER BY at_ms DESC OFFSET p_rejections LIMIT 1);
  DELETE FROM import_reports WHERE id < (SELECT id FROM import_reports ORDER BY id DESC OFFSET p_reports - 1 LIMIT 1);
END $$;
`
