/** Makes a call take effect once, although a node repeats it after losing the connection. */

export const TICKET_FUNCTIONS = /* sql */ `
-- Returns the newest ticket of a lane. The statistics of this small table change with each vacuum, and by some of them PostgreSQL reads
-- and sorts all tickets of the lane, also the dead ones that it keeps for an old transaction. The settings leave it the end of the index.
CREATE FUNCTION newest_ticket(p_node int, p_lane smallint, OUT no bigint, OUT result json) LANGUAGE plpgsql STABLE
SET enable_indexscan = on SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  SELECT t.no, t.result INTO no, result FROM tickets t WHERE t.node_id = p_node AND t.lane = p_lane ORDER BY t.no DESC LIMIT 1;
END $$;

-- Performs a call of a function over a batch, in one transaction. A repeated call, with the number of the lane's last one,
-- changes nothing and returns the stored result. The lock makes the repetition wait for a first try that still runs.
CREATE FUNCTION with_ticket(p_verb text, p_node int, p_lane smallint, p_no bigint, p_calls json) RETURNS json LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE v_no bigint; v_result json;
BEGIN
  PERFORM FROM lanes l WHERE l.node_id = p_node AND l.lane = p_lane FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'node % has no lane %', p_node, p_lane USING ERRCODE = 'WB001'; END IF;
  SELECT t.no, t.result INTO v_no, v_result FROM newest_ticket(p_node, p_lane) t;
  IF v_no = p_no THEN RETURN v_result; END IF;
  EXECUTE format('SELECT %I($1, $2)', p_verb) INTO v_result USING p_node, p_calls;
  INSERT INTO tickets (node_id, lane, no, result) VALUES (p_node, p_lane, p_no, v_result);
  DELETE FROM tickets t WHERE t.node_id = p_node AND t.lane = p_lane AND t.no = v_no;
  RETURN v_result;
END $$;

-- Tells whether this transaction wrote to the journal.
CREATE FUNCTION wrote_changes() RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN RETURN EXISTS (SELECT FROM changes c WHERE c.xid = pg_current_xact_id_if_assigned()); END $$;
`
