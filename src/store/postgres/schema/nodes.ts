/** Functions by which nodes read the journal, prove that they live, and clean up after a dead node. */
import { CAUSE_CODES } from './codes.ts'

const PLANS = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off`

export const NODE_FUNCTIONS = /* sql */ `
CREATE FUNCTION next_xid(p_xid xid8) RETURNS xid8 LANGUAGE sql IMMUTABLE AS $$ SELECT (p_xid::text::bigint + 1)::text::xid8 $$;

-- Returns a snapshot without the transactions from p_xid on.
CREATE FUNCTION snapshot_before(p_snapshot pg_snapshot, p_xid xid8) RETURNS pg_snapshot LANGUAGE sql IMMUTABLE AS $$
  SELECT format('%s:%s:%s', least(pg_snapshot_xmin(p_snapshot), p_xid), p_xid,
    (SELECT string_agg(x::text, ',' ORDER BY x) FROM pg_snapshot_xip(p_snapshot) x WHERE x < p_xid))::pg_snapshot $$;

-- Returns the snapshot after which a new node reads the journal. 3: the first number of a transaction.
CREATE FUNCTION journal_end() RETURNS pg_snapshot LANGUAGE plpgsql STABLE ${PLANS} AS $$
BEGIN
  RETURN snapshot_before(pg_current_snapshot(), coalesce((SELECT next_xid(c.xid) FROM changes c ORDER BY c.xid DESC LIMIT 1), '3'));
END $$;

-- Returns the changes that became visible since a snapshot, in the order in which they were written, and the snapshot for the
-- next call. p_nodes: all numbers that the caller ever had, whose changes are left out.
-- A change is in exactly one result: its transaction was still running at one snapshot and visible at the next. So another
-- transaction that runs for long neither hides a change nor makes later calls slow.
-- The new snapshot ends with the transaction of the newest change; with more than p_limit changes, with that of the last one within the
-- limit, and "more" is true. It never ends with the newest transaction of the database: after a crash, PostgreSQL gives the numbers of
-- transactions out again that it had not written to its log. A change that is visible is in the log, with all numbers before its own.
CREATE FUNCTION read_changes(p_nodes int[], p_since pg_snapshot, p_limit int) RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  RETURN (
    WITH bound AS MATERIALIZED (
      SELECT s.now, e.xid IS NOT NULL AS more, coalesce(next_xid(e.xid), next_xid(l.xid), pg_snapshot_xmax(p_since)) AS xid
      FROM (SELECT pg_current_snapshot() AS now) s
      LEFT JOIN (SELECT c.xid FROM changes c WHERE c.xid >= pg_snapshot_xmax(p_since) ORDER BY c.xid OFFSET p_limit LIMIT 1) e ON true
      LEFT JOIN (SELECT c.xid FROM changes c WHERE c.xid >= pg_snapshot_xmax(p_since) ORDER BY c.xid DESC LIMIT 1) l ON true),
    fresh AS (
      SELECT c.* FROM changes c WHERE c.xid >= pg_snapshot_xmax(p_since) AND c.xid < (SELECT xid FROM bound) AND c.origin <> ALL(p_nodes)
      UNION ALL
      SELECT c.* FROM pg_snapshot_xip(p_since) x(xid) CROSS JOIN LATERAL (SELECT c.* FROM changes c WHERE c.xid = x.xid AND c.origin <> ALL(p_nodes) OFFSET 0) c)
    SELECT json_build_object(
      'snapshot', snapshot_before(b.now, b.xid),
      'more', b.more, 'nowMs', now_ms(),
      'rows', (SELECT coalesce(json_agg(r ORDER BY r.seq), '[]') FROM (
        SELECT f.seq, f.origin, f.kind, f.message_id, f.tmp_id, f.until_ms, f.status, f.cause, f.subject, f.producer_id, f.content,
          CASE WHEN f.cause = ${CAUSE_CODES.of('NOT_ACKNOWLEDGED')} THEN EXISTS (
            SELECT FROM messages m WHERE m.id = f.message_id AND m.max_attempts IS NOT NULL) END AS has_own_limit
        FROM fresh f) r))
    FROM bound b);
END $$;

-- Writes news for the other nodes into the journal.
CREATE FUNCTION tell(p_node int, p_calls json) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (origin, kind, subject, content) SELECT p_node, 'news', '', c FROM json_array_elements(p_calls) c;
  RETURN (SELECT json_agg(NULL::int) FROM json_array_elements(p_calls));
END $$;

-- Shows that a node lives, and returns all nodes. The node itself is missing when it was removed.
CREATE FUNCTION beat(p_node int, p_tail pg_snapshot) RETURNS SETOF nodes LANGUAGE plpgsql AS $$
BEGIN
  UPDATE nodes SET beats = beats + 1, tail = p_tail WHERE node_id = p_node;
  RETURN QUERY SELECT * FROM nodes;
END $$;

-- Registers a process under a new number. Returns the number, whether its former row is still there, the position in the journal and
-- the time. While the former row exists, no slot of the journal is truncated that the process has not read.
CREATE FUNCTION register_node(p_lanes int, p_former int, p_tail pg_snapshot)
RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_node int := nextval('node_ids'); v_kept boolean;
BEGIN
  PERFORM FROM nodes WHERE node_id = p_former FOR SHARE;
  v_kept := FOUND;
  INSERT INTO nodes (node_id, tail)
    VALUES (v_node, CASE WHEN v_kept THEN p_tail ELSE journal_end() END);
  INSERT INTO lanes (node_id, lane) SELECT v_node, lane FROM generate_series(0, p_lanes - 1) lane;
  RETURN (SELECT json_build_object('id', v_node, 'isKept', v_kept, 'tail', n.tail::text, 'nowMs', now_ms())
    FROM nodes n WHERE n.node_id = v_node);
END $$;

-- Removes what a node left that stopped, or that has not beaten since p_beats: at most 2,000 device lines a call. Returns true
-- when more is left to remove.
CREATE FUNCTION reap(p_dead int, p_beats bigint) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_lines int;
BEGIN
  PERFORM FROM nodes WHERE node_id = p_dead AND (stopped OR beats = p_beats) FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE device_lines l SET node_id = NULL
    WHERE l.device_id = ANY(ARRAY(
      SELECT device_id FROM device_lines WHERE node_id = p_dead ORDER BY device_id LIMIT 2000 FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS v_lines = ROW_COUNT;
  IF v_lines > 0 THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM device_lines WHERE node_id = p_dead) THEN RETURN false; END IF;
  -- This waits for a batch that is not committed yet, so that the next statement finds its ticket.
  DELETE FROM lanes WHERE node_id = p_dead;
  DELETE FROM tickets WHERE node_id = p_dead;
  DELETE FROM nodes WHERE node_id = p_dead;
  RETURN false;
END $$;

-- Truncates the slot of the journal that is used next, once in two minutes, unless some node has not read it. Any node may call
-- it. A backup that reads the table makes it give up until the next call. p_second: the present time in seconds, by the clock that
-- chooses the slot of a row.
CREATE FUNCTION rotate_changes(p_second bigint) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_period bigint := (p_second - 60) / 120; v_slot text; v_unread boolean;
BEGIN
  PERFORM FROM rotation WHERE period <> v_period FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  v_slot := format('changes_%s', (v_period + 1) % 3);
  PERFORM set_config('lock_timeout', '100ms', true);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', v_slot);
  EXECUTE format('SELECT EXISTS (SELECT FROM nodes n WHERE NOT n.stopped AND (
    EXISTS (SELECT FROM %1$I c WHERE c.xid >= pg_snapshot_xmax(n.tail))
    OR EXISTS (SELECT FROM pg_snapshot_xip(n.tail) x WHERE EXISTS (SELECT FROM %1$I c WHERE c.xid = x))))', v_slot) INTO v_unread;
  IF v_unread THEN RETURN; END IF;
  EXECUTE format('TRUNCATE %I', v_slot);
  UPDATE rotation SET period = v_period;
EXCEPTION WHEN lock_not_available THEN NULL;
END $$;
`
