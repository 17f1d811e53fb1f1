/** Removes old messages: rows in small steps, and whole partitions. */
import { LINK_LIST } from '../../../broker/vocabulary/link-table.ts'
import { RARE_STATUSES } from '../../../broker/vocabulary/status.ts'
import { codesOf, deadline, STATUS_CODES, status } from './codes.ts'

const RARE = codesOf(STATUS_CODES, RARE_STATUSES)

const PURGE_LINKS = LINK_LIST.map(
  ({ table }) => `DELETE FROM ${table} l WHERE l.message_id = ANY(v_gone);`,
).join('\n  ')

const PURGE_ORPHANED_LINKS = LINK_LIST.map(
  ({ table }) => `SELECT array_agg(DISTINCT o.message_id) INTO v_linked FROM (
    SELECT l.message_id FROM ${table} l WHERE l.message_id >= p_from AND l.message_id < p_to
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = l.message_id) ORDER BY l.message_id LIMIT p_limit) o;
  DELETE FROM ${table} l WHERE l.message_id = ANY(v_linked);
  v_links := v_links + coalesce(cardinality(v_linked), 0);`,
).join('\n  ')

export const PURGE_FUNCTIONS = /* sql */ `
-- Removes the finish deadlines of messages that are gone, an array of {id, device_id}.
CREATE FUNCTION end_finish_deadlines(p_unfinished json) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE v_each record;
BEGIN
  FOR v_each IN SELECT * FROM json_to_recordset(p_unfinished) u(id bigint, device_id text) LOOP
    DELETE FROM deadlines WHERE kind = ${deadline.FINISH} AND device_id = v_each.device_id AND message_id = v_each.id;
  END LOOP;
END $$;

-- Removes the settled messages among the next p_limit ones from p_from on, below p_to, that changed before p_before. Returns
-- {removed, next, unfinished}: next is null at the end, unfinished has the messages whose finish deadline ends with them.
CREATE FUNCTION purge_messages(p_from bigint, p_to bigint, p_before bigint, p_limit int) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_last bigint; v_next bigint; v_gone bigint[]; v_unfinished json;
BEGIN
  -- Ids grow with time, and a message changes after its creation only. So a step whose last message is younger is the last one.
  SELECT max(s.id), CASE WHEN count(*) = p_limit AND (array_agg(s.created_at_ms ORDER BY s.id DESC))[1] < p_before THEN max(s.id) + 1 END
    INTO v_last, v_next FROM (
      SELECT m.id, m.created_at_ms FROM messages m WHERE m.id >= p_from AND m.id < p_to ORDER BY m.id LIMIT p_limit) s;
  WITH gone AS (
    DELETE FROM messages m WHERE m.id >= p_from AND m.id <= v_last AND m.status <> ${status.NOT_DELIVERED} AND m.changed_at_ms < p_before
    RETURNING m.id, m.device_id, m.finish_at_ms)
  SELECT coalesce(array_agg(g.id), '{}'),
      coalesce(json_agg(json_build_object('id', g.id, 'device_id', g.device_id)) FILTER (WHERE g.finish_at_ms IS NOT NULL), '[]')
    INTO v_gone, v_unfinished FROM gone g;
  DELETE FROM attempts a WHERE a.message_id = ANY(v_gone);
  DELETE FROM changes_of_message c WHERE c.message_id = ANY(v_gone);
  DELETE FROM submissions s WHERE s.message_id = ANY(v_gone);
  ${PURGE_LINKS}
  DELETE FROM rare_messages r WHERE r.status IN (${RARE}) AND r.message_id = ANY(v_gone);
  PERFORM end_finish_deadlines(v_unfinished);
  RETURN json_build_object('removed', cardinality(v_gone), 'next', v_next, 'unfinished', v_unfinished);
END $$;

-- Returns the partitions of messages but the one in use and the later ones, the oldest first: number, bounds, and the times at
-- which their first and their last message were stored.
CREATE FUNCTION full_partitions(p_ids bigint) RETURNS TABLE (number int, lower_id bigint, upper_id bigint, first_ms bigint, last_ms bigint)
LANGUAGE sql STABLE AS $$
  SELECT p.number, greatest(1, p.number * p_ids), (p.number + 1) * p_ids,
    (SELECT m.created_at_ms FROM messages m WHERE m.id >= p.number * p_ids AND m.id < (p.number + 1) * p_ids ORDER BY m.id LIMIT 1),
    (SELECT m.created_at_ms FROM messages m WHERE m.id >= p.number * p_ids AND m.id < (p.number + 1) * p_ids ORDER BY m.id DESC LIMIT 1)
  FROM (SELECT substring(c.relname FROM '^messages_(\\d+)$')::int AS number
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'messages'::regclass) p
  WHERE p.number < (SELECT last_value FROM message_ids) / p_ids ORDER BY p.number $$;

-- Returns the number of messages in a range of ids, and the ids of those that may stay when the rest is removed: the young ones,
-- and those that may become pending. Any other old message can at most be acknowledged late.
CREATE FUNCTION purge_candidates(p_from bigint, p_to bigint, p_before bigint) RETURNS TABLE (count int, ids bigint[])
LANGUAGE sql STABLE AS $$
  SELECT count(*)::int, coalesce(array_agg(m.id) FILTER (
    WHERE m.status IN (${status.NOT_DELIVERED}, ${status.UNKNOWN}) OR m.changed_at_ms >= p_before OR m.finish_at_ms IS NOT NULL), '{}')
  FROM messages m WHERE m.id >= p_from AND m.id < p_to $$;

-- Lets messages_old and attempts_old be attached with a new upper bound later, without a look at their rows.
CREATE FUNCTION raise_old_bound(p_upper bigint) RETURNS void LANGUAGE plpgsql SET lock_timeout = '50ms' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(8, 0);
  ALTER TABLE messages_old DROP CONSTRAINT IF EXISTS bound;
  ALTER TABLE attempts_old DROP CONSTRAINT IF EXISTS bound;
  EXECUTE format('ALTER TABLE messages_old ADD CONSTRAINT bound CHECK (id < %s) NOT VALID', p_upper);
  EXECUTE format('ALTER TABLE attempts_old ADD CONSTRAINT bound CHECK (message_id < %s) NOT VALID', p_upper);
END $$;

-- Removes the oldest partition. The messages that stay move to messages_old: those of p_ids that are pending or young. Returns
-- {moved, unfinished} as purge_messages does; null when another node has removed the partition, or changed the bound.
CREATE FUNCTION drop_partition(p_number int, p_upper bigint, p_before bigint, p_ids bigint[]) RETURNS json
LANGUAGE plpgsql SET lock_timeout = '50ms' SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE v_moved bigint[]; v_unfinished json; v_messages text := 'messages_' || p_number; v_attempts text := 'attempts_' || p_number;
BEGIN
  PERFORM pg_advisory_xact_lock(8, 0);
  IF to_regclass(v_messages) IS NULL OR NOT EXISTS (
      SELECT 1 FROM pg_constraint c WHERE c.conrelid = 'messages_old'::regclass AND c.conname = 'bound' AND c.convalidated
        AND pg_get_constraintdef(c.oid) LIKE '%< ' || p_upper || ')%') THEN
    RETURN NULL;
  END IF;
  EXECUTE format('ALTER TABLE messages DETACH PARTITION %I', v_messages);
  ALTER TABLE messages DETACH PARTITION messages_old;
  EXECUTE format('ALTER TABLE attempts DETACH PARTITION %I', v_attempts);
  ALTER TABLE attempts DETACH PARTITION attempts_old;
  EXECUTE format('WITH moved AS (
      INSERT INTO messages_old SELECT m.* FROM %I m WHERE m.id = ANY($1) AND (m.status = ${status.NOT_DELIVERED} OR m.changed_at_ms >= $2) RETURNING id)
    SELECT coalesce(array_agg(id), ''{}'') FROM moved', v_messages) INTO v_moved USING p_ids, p_before;
  EXECUTE format('INSERT INTO attempts_old SELECT a.* FROM %I a WHERE a.message_id = ANY($1)', v_attempts) USING v_moved;
  EXECUTE format('SELECT coalesce(json_agg(json_build_object(''id'', m.id, ''device_id'', m.device_id)), ''[]'') FROM %I m
    WHERE m.id = ANY($1) AND m.finish_at_ms IS NOT NULL AND m.id <> ALL($2)', v_messages) INTO v_unfinished USING p_ids, v_moved;
  PERFORM end_finish_deadlines(v_unfinished);
  EXECUTE format('ALTER TABLE messages ATTACH PARTITION messages_old FOR VALUES FROM (MINVALUE) TO (%s)', p_upper);
  EXECUTE format('ALTER TABLE attempts ATTACH PARTITION attempts_old FOR VALUES FROM (MINVALUE) TO (%s)', p_upper);
  EXECUTE format('DROP TABLE %I, %I', v_messages, v_attempts);
  RETURN json_build_object('moved', cardinality(v_moved), 'unfinished', v_unfinished);
END $$;

-- Removes what belonged to messages that are gone, at most p_limit rows of each table. Returns the number of removed rows.
CREATE FUNCTION purge_orphans(p_from bigint, p_to bigint, p_limit int) RETURNS int
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
#variable_conflict use_column
DECLARE v_ids bigint[]; v_keys bigint[]; v_linked bigint[]; v_links int := 0; v_rare bigint[];
BEGIN
  SELECT array_agg(DISTINCT o.message_id) INTO v_ids FROM (
    SELECT c.message_id FROM changes_of_message c WHERE c.message_id >= p_from AND c.message_id < p_to
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = c.message_id) ORDER BY c.message_id LIMIT p_limit) o;
  DELETE FROM changes_of_message c WHERE c.message_id = ANY(v_ids);
  SELECT array_agg(DISTINCT o.message_id) INTO v_keys FROM (
    SELECT s.message_id FROM submissions s WHERE s.message_id >= p_from AND s.message_id < p_to
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = s.message_id) ORDER BY s.message_id LIMIT p_limit) o;
  DELETE FROM submissions s WHERE s.message_id = ANY(v_keys);
  ${PURGE_ORPHANED_LINKS}
  SELECT array_agg(o.message_id) INTO v_rare FROM (
    SELECT r.message_id FROM rare_messages r WHERE r.status IN (${RARE}) AND r.message_id >= p_from AND r.message_id < p_to
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.message_id) LIMIT p_limit) o;
  DELETE FROM rare_messages r WHERE r.status IN (${RARE}) AND r.message_id = ANY(v_rare);
  RETURN coalesce(cardinality(v_ids), 0) + coalesce(cardinality(v_keys), 0) + v_links + coalesce(cardinality(v_rare), 0);
END $$;
`
