/** Keeps partitions ready. Any node may call these functions at any time. */

export const MAINTENANCE_FUNCTIONS = /* sql */ `
-- Creates the partitions for the present ids, and the next one when half of the last is used. An attached table locks no reader and
-- no writer of its parent.
CREATE FUNCTION create_partitions(p_ids bigint) RETURNS void LANGUAGE plpgsql SET lock_timeout = '50ms' AS $$
DECLARE v_used bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(8, 0);
  SELECT last_value INTO v_used FROM message_ids;
  FOR n IN v_used / p_ids .. (v_used + p_ids / 2) / p_ids LOOP
    CONTINUE WHEN to_regclass('messages_' || n) IS NOT NULL;
    EXECUTE format('CREATE TABLE messages_%s (LIKE messages INCLUDING ALL)
      WITH (fillfactor = 85, toast_tuple_target = 512, autovacuum_vacuum_insert_scale_factor = 0.2)', n);
    EXECUTE format('CREATE TABLE attempts_%s (LIKE attempts INCLUDING ALL)', n);
    EXECUTE format('ALTER TABLE messages ATTACH PARTITION messages_%s FOR VALUES FROM (%s) TO (%s)', n, n * p_ids, (n + 1) * p_ids);
    EXECUTE format('ALTER TABLE attempts ATTACH PARTITION attempts_%s FOR VALUES FROM (%s) TO (%s)', n, n * p_ids, (n + 1) * p_ids);
  END LOOP;
END $$;
`
