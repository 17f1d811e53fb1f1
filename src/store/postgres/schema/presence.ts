/** Creates the tables and functions of runs, sightings and periods of presence. */

export const PRESENCE_TABLES = /* sql */ `
CREATE TABLE runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id int NOT NULL,
  release text NOT NULL,
  started_ms bigint NOT NULL,
  -- Everything that happened up to this time is stored.
  alive_ms bigint NOT NULL,
  -- Null while the run lasts. A lost run gets it from another node.
  ended_ms bigint,
  how text
);

CREATE TABLE sightings (
  device_id text COLLATE "C" PRIMARY KEY,
  first_ms bigint NOT NULL,
  last_ms bigint NOT NULL,
  -- Run and transport of a period that was open at the last change of a node; null: none was open.
  run_id bigint,
  transport text,
  -- Moving average of the gaps between polls; null before the second poll.
  poll_seconds int,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (fillfactor = 70);
CREATE INDEX sightings_order ON sightings (xid);

CREATE TABLE periods (
  run_id bigint NOT NULL,
  number bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  transport text NOT NULL,
  began_ms bigint NOT NULL,
  -- Null while the period lasts. A period that its lost run left open ended with the run.
  ended_ms bigint,
  -- First subscription of the connection to its own commands.
  receives_ms bigint,
  address text,
  session text,
  version text,
  reason text,
  -- JSON as the node wrote it, in which every character is possible.
  detail text,
  PRIMARY KEY (run_id, number)
);
CREATE INDEX periods_of_device ON periods (device_id, began_ms);
CREATE INDEX periods_by_age ON periods (began_ms);

CREATE TABLE device_events (
  run_id bigint NOT NULL,
  number bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  at_ms bigint NOT NULL,
  last_ms bigint NOT NULL,
  count bigint NOT NULL,
  -- JSON as the node wrote it, in which every character is possible.
  detail text NOT NULL,
  PRIMARY KEY (run_id, number)
);
CREATE INDEX device_events_of_device ON device_events (device_id, at_ms);
CREATE INDEX device_events_by_age ON device_events (at_ms);
`

export const PRESENCE_FUNCTIONS = /* sql */ `
-- Ends the runs of nodes that do not live. p_silent: nodes that the caller has not seen beat for the time of a lease.
CREATE FUNCTION lose_runs(p_silent int[]) RETURNS void LANGUAGE sql AS $$
  UPDATE runs SET ended_ms = now_ms(), how = 'LOST' WHERE ended_ms IS NULL AND node_id NOT IN (SELECT living_nodes(p_silent));
$$;

-- Begins the run of a node.
CREATE FUNCTION begin_run(p_node int, p_silent int[], p_release text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_now bigint := now_ms(); v_id bigint;
BEGIN
  PERFORM lose_runs(p_silent);
  INSERT INTO runs (node_id, release, started_ms, alive_ms) VALUES (p_node, p_release, v_now, v_now) RETURNING id INTO v_id;
  RETURN json_build_object('runId', v_id, 'nowMs', v_now);
END $$;

-- Stores a batch of a run. Its ages are milliseconds before the call. p_progress: PART, ALIVE or ENDED.
CREATE FUNCTION record_presence(p_silent int[], p_run bigint, p_progress text, p_sightings json, p_periods json, p_events json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_now bigint := now_ms();
BEGIN
  PERFORM lose_runs(p_silent);
  -- An open period on another node remains, unless its run is over.
  INSERT INTO sightings AS s (device_id, first_ms, last_ms, run_id, transport, poll_seconds)
    SELECT e->>0, v_now - (e->>1)::bigint, v_now - (e->>2)::bigint, CASE WHEN e->>3 IS NOT NULL THEN p_run END, e->>3, (e->>4)::int
    FROM json_array_elements(p_sightings) e ORDER BY 1
    ON CONFLICT (device_id) DO UPDATE SET last_ms = greatest(s.last_ms, excluded.last_ms), xid = pg_current_xact_id(),
      (run_id, transport) = (SELECT CASE WHEN is_foreign THEN s.run_id ELSE excluded.run_id END,
          CASE WHEN is_foreign THEN s.transport ELSE excluded.transport END
        FROM (SELECT excluded.run_id IS NULL AND s.run_id <> p_run
          AND EXISTS (SELECT FROM runs r WHERE r.id = s.run_id AND r.ended_ms IS NULL) AS is_foreign) f),
      poll_seconds = coalesce(excluded.poll_seconds, s.poll_seconds);
  INSERT INTO periods AS p (run_id, number, device_id, transport, began_ms, ended_ms, receives_ms, address, session, version, reason, detail)
    SELECT p_run, (e->>0)::bigint, e->>1, e->>2, v_now - (e->>3)::bigint, v_now - (e->>4)::bigint, v_now - (e->>5)::bigint,
      e->>6, e->>7, e->>8, e->>9, e->>10
    FROM json_array_elements(p_periods) e
    -- greatest() would leave a null out, and so end a period that lasts.
    ON CONFLICT (run_id, number) DO UPDATE SET ended_ms = CASE WHEN excluded.ended_ms IS NOT NULL THEN greatest(p.began_ms, excluded.ended_ms) END,
      receives_ms = coalesce(p.receives_ms, excluded.receives_ms), reason = excluded.reason, detail = excluded.detail;
  INSERT INTO device_events AS d (run_id, number, device_id, kind, at_ms, last_ms, count, detail)
    SELECT p_run, (e->>0)::bigint, e->>1, e->>2, v_now - (e->>3)::bigint, v_now - (e->>4)::bigint, (e->>5)::bigint, e->>6
    FROM json_array_elements(p_events) e
    ON CONFLICT (run_id, number) DO UPDATE SET last_ms = greatest(d.at_ms, excluded.last_ms), count = excluded.count, detail = excluded.detail;
  IF p_progress = 'PART' THEN RETURN; END IF;
  UPDATE runs SET alive_ms = v_now, ended_ms = CASE WHEN p_progress = 'ENDED' THEN v_now END,
    how = CASE WHEN p_progress = 'ENDED' THEN 'STOPPED' END
    WHERE id = p_run AND how IS DISTINCT FROM 'LOST';
END $$;

-- Removes periods and events that ended before a time, the oldest rows of a device with more than p_of_device and of a table with more than
-- p_rows, and runs without any; at most p_limit rows of a kind. Returns {removed, isMore}.
CREATE FUNCTION purge_presence(p_before bigint, p_rows bigint, p_of_device bigint, p_limit int) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_removed int[] := '{}'; v_count int; v_excess int;
BEGIN
  DELETE FROM periods WHERE (run_id, number) IN (
    SELECT p.run_id, p.number FROM periods p JOIN runs r ON r.id = p.run_id
    WHERE p.began_ms < p_before AND coalesce(p.ended_ms, CASE WHEN r.ended_ms IS NOT NULL THEN r.alive_ms END, p_before) < p_before LIMIT p_limit);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_removed := v_removed || v_count;
  DELETE FROM device_events WHERE (run_id, number) IN (SELECT e.run_id, e.number FROM device_events e WHERE e.at_ms < p_before LIMIT p_limit);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_removed := v_removed || v_count;
  DELETE FROM periods WHERE (run_id, number) IN (
    SELECT p.run_id, p.number FROM (
      SELECT q.*, row_number() OVER (PARTITION BY q.device_id ORDER BY q.began_ms DESC) AS place FROM periods q
      WHERE q.device_id IN (SELECT o.device_id FROM periods o GROUP BY o.device_id HAVING count(*) > p_of_device)) p
    WHERE p.place > p_of_device AND p.ended_ms IS NOT NULL LIMIT p_limit);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_removed := v_removed || v_count;
  DELETE FROM device_events WHERE (run_id, number) IN (
    SELECT e.run_id, e.number FROM (
      SELECT f.*, row_number() OVER (PARTITION BY f.device_id ORDER BY f.at_ms DESC) AS place FROM device_events f
      WHERE f.device_id IN (SELECT o.device_id FROM device_events o GROUP BY o.device_id HAVING count(*) > p_of_device)) e
    WHERE e.place > p_of_device LIMIT p_limit);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_removed := v_removed || v_count;
  v_excess := least((SELECT count(*) FROM periods) - p_rows, p_limit);
  IF v_excess > 0 THEN
    DELETE FROM periods WHERE (run_id, number) IN (
      SELECT p.run_id, p.number FROM periods p WHERE p.ended_ms IS NOT NULL ORDER BY p.began_ms LIMIT v_excess);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    v_removed := v_removed || v_count;
  END IF;
  v_excess := least((SELECT count(*) FROM device_events) - p_rows, p_limit);
  IF v_excess > 0 THEN
    DELETE FROM device_events WHERE (run_id, number) IN (SELECT e.run_id, e.number FROM device_events e ORDER BY e.at_ms LIMIT v_excess);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    v_removed := v_removed || v_count;
  END IF;
  v_excess := least((SELECT count(*) FROM sightings) - p_rows, p_limit);
  IF v_excess > 0 THEN
    DELETE FROM sightings WHERE device_id IN (SELECT s.device_id FROM sightings s WHERE s.transport IS NULL ORDER BY s.last_ms LIMIT v_excess);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    v_removed := v_removed || v_count;
  END IF;
  DELETE FROM runs r WHERE r.ended_ms < p_before AND NOT EXISTS (SELECT FROM periods p WHERE p.run_id = r.id)
    AND NOT EXISTS (SELECT FROM device_events e WHERE e.run_id = r.id)
    AND r.id NOT IN (SELECT s.run_id FROM sightings s WHERE s.run_id IS NOT NULL);
  RETURN json_build_object('removed', (SELECT coalesce(sum(n), 0) FROM unnest(v_removed) n), 'isMore', p_limit = ANY(v_removed));
END $$;
`
