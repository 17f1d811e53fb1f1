/** Functions shared by verbs: results in the order of the calls, and the room of a queue. */

export const QUEUE_FUNCTIONS = /* sql */ `
-- A part of the result of call n of a batch.
CREATE TYPE placed AS (n bigint, value json);

-- Returns the values at the positions of their calls. A join of the calls with the values would compare each with each, since
-- the verbs have no other join of arrays.
CREATE FUNCTION in_places(p_count int, p_placed placed[]) RETURNS json[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE v_values json[] := array_fill(NULL::json, ARRAY[p_count]); v_each placed;
BEGIN
  FOREACH v_each IN ARRAY p_placed LOOP v_values[v_each.n] := v_each.value; END LOOP;
  RETURN v_values;
END $$;

-- Tells whether a queue has room for a message. An empty queue has room for any.
CREATE FUNCTION has_room(p_waiting bigint, p_used bigint, p_bytes bigint, p_max_messages bigint, p_max_bytes bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_waiting = 0 OR (p_waiting < p_max_messages AND (p_max_bytes = 0 OR p_used + p_bytes <= p_max_bytes)) $$;

-- Returns the bytes of a text before text.ts escaped it: U+0000 has one byte instead of four, U+F8FF three instead of four.
CREATE FUNCTION unescaped_bytes(p_text text) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(p_text) - CASE WHEN position(U&'\\F8FF' IN p_text) = 0 THEN 0 ELSE
    (char_length(p_text) - char_length(replace(p_text, U&'\\F8FF' || '0', ''))) / 2 * 3
    + (char_length(p_text) - char_length(replace(p_text, U&'\\F8FF' || '1', ''))) / 2 END $$;
`
