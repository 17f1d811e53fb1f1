/**
 * Tables of PostgreSQL. All names are relative to the `search_path`, so that one database can hold several schemas.
 * Times are milliseconds since 1970 by the clock of the database, the single clock of all nodes. Status, cause,
 * guarantee and outcome are the numbers of codes.ts.
 */
import { FAILED_STATUSES, RARE_STATUSES } from '../../../broker/vocabulary/status.ts'
import { codesOf, deadline, STATUS_CODES, status } from './codes.ts'

export const PARTITION_IDS = 10_000_000

const RARE = codesOf(STATUS_CODES, RARE_STATUSES)

export const TABLES = /* sql */ `
-- CACHE 1: an id is drawn while the device is locked, so the ids of a device grow in the order of its commits.
CREATE SEQUENCE message_ids;
CREATE SEQUENCE node_ids AS int;

-- The clock of all rules that survive a restart. Nodes receive durations, never times.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- Values that all nodes share, such as the secret of the tokens.
CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);

-- One row for each process. A restarted process is a new node.
CREATE TABLE nodes (
  node_id int PRIMARY KEY,
  -- Grows with each beat, by which the other nodes find out whether the node lives.
  beats bigint NOT NULL DEFAULT 0,
  -- The process has ended, and needs no more time.
  stopped boolean NOT NULL DEFAULT false,
  -- The node has handled all changes that this snapshot contains.
  tail pg_snapshot NOT NULL
) WITH (fillfactor = 50);

-- The lanes of a node. A batch locks the row of its lane, and none changes it.
CREATE TABLE lanes (node_id int NOT NULL, lane smallint NOT NULL, PRIMARY KEY (node_id, lane));

-- The result of the newest call of each lane of a node. A node that lost the connection during a call repeats the call
-- with the same number, and receives the stored result if the first try was committed. Each call adds a row and deletes the
-- former one. The newest row is the last of its lane in the index, so it is found as fast while another transaction keeps dead rows.
CREATE TABLE tickets (
  node_id int NOT NULL,
  lane smallint NOT NULL,
  no bigint NOT NULL,
  result json,
  PRIMARY KEY (node_id, lane, no)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The allowed changes of a status: TRANSITIONS of src/broker/vocabulary/status.ts as rows, written at each start.
CREATE TABLE transition_kinds (
  name text COLLATE "C" PRIMARY KEY,
  from_statuses smallint[] NOT NULL,
  to_status smallint NOT NULL,
  cause smallint NOT NULL,
  -- The only guarantee to which the transition applies; null: all.
  guarantee smallint,
  -- The record of the message shows the cause.
  is_shown boolean NOT NULL,
  -- The change has a row in the table changes_of_message.
  is_listed boolean NOT NULL,
  -- The device has the message.
  is_delivery boolean NOT NULL
);

CREATE TABLE messages (
  id bigint NOT NULL PRIMARY KEY,
  created_at_ms bigint NOT NULL,
  changed_at_ms bigint NOT NULL,
  tmp_id bigint,
  delivered_at_ms bigint,
  broken_at_ms bigint,
  superseded_by bigint,
  due_at_ms bigint,
  expires_at_ms bigint,
  -- End of the running finish deadline, while the message is DELIVERED.
  finish_at_ms bigint,
  late_at_ms bigint,
  -- Start of the latest attempt. While the message is pending, the table pending has its latest attempt.
  attempt_at_ms bigint,
  finish_seconds int,
  max_attempts int,
  -- Number of all attempts.
  attempts int NOT NULL DEFAULT 0,
  guarantee smallint NOT NULL,
  status smallint NOT NULL DEFAULT 0,
  cause smallint,
  late_status smallint,
  attempt_outcome smallint,
  delivered_error boolean NOT NULL DEFAULT false,
  has_terms boolean NOT NULL DEFAULT false,
  details boolean NOT NULL DEFAULT false,
  result_dropped boolean NOT NULL DEFAULT false,
  device_id text COLLATE "C" NOT NULL,
  command text COLLATE "C" NOT NULL,
  producer_id text COLLATE "C",
  sender_id text COLLATE "C",
  delivered_by text COLLATE "C",
  changed_by text COLLATE "C",
  attempt_transport text COLLATE "C",
  attempt_refused text,
  reason text,
  late_reason text,
  data text COMPRESSION lz4 NOT NULL,
  result text COMPRESSION lz4
) PARTITION BY RANGE (id);
CREATE INDEX messages_of_device ON messages (device_id, id);
-- Keeps what is left of dropped partitions.
CREATE TABLE messages_old PARTITION OF messages FOR VALUES FROM (MINVALUE) TO (1);
CREATE TABLE messages_0 PARTITION OF messages FOR VALUES FROM (1) TO (${PARTITION_IDS})
  WITH (fillfactor = 85, toast_tuple_target = 512, autovacuum_vacuum_insert_scale_factor = 0.2);

-- The messages with a status that few messages have. An index of messages on the status would change with each acknowledgement, and
-- so would all other indexes of the message.
CREATE TABLE rare_messages (
  status smallint NOT NULL,
  message_id bigint NOT NULL,
  changed_at_ms bigint NOT NULL,
  PRIMARY KEY (status, message_id)
);
CREATE INDEX rare_messages_failed ON rare_messages (changed_at_ms) WHERE status IN (${codesOf(STATUS_CODES, FAILED_STATUSES)});
CREATE FUNCTION list_rare() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM rare_messages r WHERE r.status = old.status AND r.message_id = old.id;
  IF new.status IN (${RARE}) THEN INSERT INTO rare_messages VALUES (new.status, new.id, new.changed_at_ms); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER lists_rare AFTER UPDATE OF status, changed_at_ms ON messages FOR EACH ROW
  WHEN (new.status IN (${RARE}) OR old.status IN (${RARE})) EXECUTE FUNCTION list_rare();

-- The queues: one row for each pending message. The transaction that deletes the row, or begins an attempt on it, decides
-- what becomes of the message. The fillfactor leaves room for the beginning of an attempt beside each row: 83 % of those updates
-- then change no index, with 80 it was 38 %.
CREATE TABLE pending (
  device_id text COLLATE "C" NOT NULL,
  -- True until the delay of the message is over, so that delayed messages do not slow down a look at the head.
  delayed boolean NOT NULL,
  id bigint NOT NULL,
  -- Position in the queue, unique, in the order of the ids: newest - oldest + 1 is at least the length of the queue.
  place bigint NOT NULL,
  -- The same for bytes: sum of the bytes up to this message.
  bytes_place bigint NOT NULL,
  due_at_ms bigint,
  expires_at_ms bigint,
  -- Start of the latest attempt; null: there was none.
  attempt_at_ms bigint,
  -- End of the open attempt; null while there is none.
  attempt_until_ms bigint,
  bytes int NOT NULL,
  -- Number of all attempts, and of those since the message was stored or replayed that did not end as BUSY.
  attempts int NOT NULL DEFAULT 0,
  counted int NOT NULL DEFAULT 0,
  max_attempts int,
  finish_seconds int,
  guarantee smallint NOT NULL,
  -- Outcome of the latest attempt; null while it is open, and when an acknowledgement before a replay ended it.
  attempt_outcome smallint,
  command text COLLATE "C" NOT NULL,
  -- Transport of the latest attempt, and why the latest answer of the device during it was refused.
  attempt_transport text COLLATE "C",
  attempt_refused text,
  PRIMARY KEY (device_id, delayed, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
-- For lists of all pending messages, and for the oldest ones.
CREATE INDEX pending_by_id ON pending (id);
CREATE INDEX pending_due ON pending (device_id, due_at_ms) WHERE delayed;

-- Kind: 0 validity of a pending message, 1 finish time of a DELIVERED one. A row may outlive its reason: the job that reads
-- it then changes nothing and deletes the row.
CREATE TABLE deadlines (
  at_ms bigint NOT NULL,
  kind smallint NOT NULL,
  message_id bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (at_ms, kind, message_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX deadlines_finish ON deadlines (device_id, message_id) WHERE kind = ${deadline.FINISH};

-- The attempts that another one followed. The latest attempt is in pending, or in messages once the message has left its queue: so
-- an attempt that an acknowledgement ends needs no row.
CREATE TABLE attempts (
  message_id bigint NOT NULL,
  at_ms bigint NOT NULL,
  number int NOT NULL,
  transport text COLLATE "C" NOT NULL,
  outcome smallint,
  refused text
) PARTITION BY RANGE (message_id);
CREATE INDEX attempts_of_message ON attempts (message_id, number);
CREATE TABLE attempts_old PARTITION OF attempts FOR VALUES FROM (MINVALUE) TO (1);
CREATE TABLE attempts_0 PARTITION OF attempts FOR VALUES FROM (1) TO (${PARTITION_IDS});
-- All attempts. The outcome is null while the attempt is open, and when an acknowledgement or a cancellation ended it.
CREATE VIEW message_attempts AS
  SELECT message_id, number, at_ms, transport, outcome, refused FROM attempts
  UNION ALL SELECT id, attempts, attempt_at_ms, attempt_transport, attempt_outcome, attempt_refused FROM pending
    WHERE attempt_at_ms IS NOT NULL
  UNION ALL SELECT id, attempts, attempt_at_ms, attempt_transport, attempt_outcome, attempt_refused FROM messages
    WHERE attempt_at_ms IS NOT NULL AND status <> ${status.NOT_DELIVERED};

-- Rare changes of a status, which the columns of messages cannot hold.
CREATE TABLE changes_of_message (
  message_id bigint NOT NULL,
  at_ms bigint NOT NULL,
  status smallint NOT NULL,
  cause smallint NOT NULL,
  changed_by text COLLATE "C"
);
CREATE INDEX changes_of_message_by_id ON changes_of_message (message_id, at_ms);

-- One row for each device that was attached, polled with an attempt, paced, or busy.
CREATE TABLE device_lines (
  device_id text COLLATE "C" PRIMARY KEY,
  -- Grows with each attach and each release. A claim with a smaller number is lost.
  fence bigint NOT NULL DEFAULT 0,
  -- Holder of the lease; null: no node.
  node_id int,
  -- Message with the open attempt. It may have left its queue meanwhile.
  in_flight_id bigint,
  -- Latest paced dispatch.
  dispatched_at_ms bigint,
  -- End of the pause that the device asked for, and its whole time.
  busy_until_ms bigint,
  busy_ms bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX device_lines_of_node ON device_lines (node_id) WHERE node_id IS NOT NULL;
CREATE INDEX device_lines_busy ON device_lines (busy_until_ms) WHERE busy_until_ms IS NOT NULL;

-- The settings of devices that have a value of their own, as JSON with the names of src/broker/vocabulary/device-settings.ts.
CREATE TABLE device_settings (device_id text COLLATE "C" PRIMARY KEY, settings json NOT NULL);

-- Idempotency keys, written by the transaction that stores the message.
CREATE TABLE submissions (
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  message_id bigint NOT NULL,
  at_ms bigint NOT NULL,
  repeats int NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, key)
);
CREATE INDEX submissions_by_age ON submissions (at_ms);
CREATE INDEX submissions_of_message ON submissions (message_id);

-- The messages whose command was sent again.
CREATE TABLE resends (
  message_id bigint NOT NULL,
  new_message_id bigint NOT NULL UNIQUE,
  PRIMARY KEY (message_id, new_message_id)
);

-- Numbers of the changes. A number is drawn while the message or the line is locked, so the numbers of one message, and of the
-- pauses of one device, grow in the order of the commits.
CREATE SEQUENCE change_numbers;

-- The journal for the other nodes. Three slots of two minutes each; the oldest is truncated, rows are never deleted.
CREATE TABLE changes (
  slot smallint NOT NULL DEFAULT ((extract(epoch FROM now())::bigint / 120) % 3),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint NOT NULL DEFAULT nextval('change_numbers'),
  -- Node that made the change.
  origin int NOT NULL,
  -- 'message', or the name of another event; see src/store/postgres/nodes/journal.ts.
  kind text COLLATE "C" NOT NULL DEFAULT 'message',
  message_id bigint,
  tmp_id bigint,
  -- End of the validity (status 0) or of the finish time (status 1).
  until_ms bigint,
  status smallint,
  cause smallint,
  -- The device, the client or the session.
  subject text COLLATE "C" NOT NULL,
  producer_id text COLLATE "C",
  -- Of a message: the details that its producer wants. Of any other event: its content.
  content json
) PARTITION BY LIST (slot);
-- A row is gone after six minutes at most, and never changes: a vacuum would only read and write it once more.
CREATE TABLE changes_0 PARTITION OF changes FOR VALUES IN (0) WITH (autovacuum_enabled = false);
CREATE TABLE changes_1 PARTITION OF changes FOR VALUES IN (1) WITH (autovacuum_enabled = false);
CREATE TABLE changes_2 PARTITION OF changes FOR VALUES IN (2) WITH (autovacuum_enabled = false);
CREATE INDEX changes_order ON changes (xid, seq);
-- The period of two minutes in which a slot was truncated last.
CREATE TABLE rotation (period bigint NOT NULL);
INSERT INTO rotation VALUES (0);

-- Order of the changes of one record, drawn while its row is locked. Journal rows may arrive in another order.
CREATE SEQUENCE record_revisions;

CREATE TABLE clients (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL UNIQUE,
  password_hash text NOT NULL,
  role text NOT NULL,
  description text NOT NULL,
  devices text[] COLLATE "C" NOT NULL,
  own_queue_only boolean,
  changed_at_ms bigint NOT NULL,
  revision bigint NOT NULL DEFAULT nextval('record_revisions')
);
-- Times of the last logins. They are beside the clients, so that the nodes that write them lock no client.
-- previous_ms: the last login before the present visit.
CREATE TABLE client_logins (client_id bigint PRIMARY KEY, at_ms bigint NOT NULL, previous_ms bigint);
CREATE INDEX clients_admins ON clients (id) WHERE role = 'MAN';

CREATE SEQUENCE key_ids;
CREATE TABLE api_keys (
  id bigint PRIMARY KEY,
  client_id bigint NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  hash text NOT NULL UNIQUE,
  description text NOT NULL,
  created_at_ms bigint NOT NULL,
  last_used_at_ms bigint,
  expires_at_ms bigint,
  revision bigint NOT NULL DEFAULT nextval('record_revisions')
);
CREATE INDEX api_keys_of_client ON api_keys (client_id);

CREATE TABLE templates (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null: for any device.
  client_id bigint REFERENCES clients (id) ON DELETE CASCADE,
  description text NOT NULL,
  command text NOT NULL,
  guarantee smallint NOT NULL,
  valid_seconds int,
  finish_seconds int,
  max_attempts int,
  data text NOT NULL
);
CREATE INDEX templates_of_client ON templates (client_id);

-- Alerts that a person acknowledged.
CREATE TABLE alert_acks (
  key text COLLATE "C" PRIMARY KEY,
  by text COLLATE "C",
  at_ms bigint NOT NULL,
  count int,
  note text
);

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at_ms bigint NOT NULL,
  client_id text COLLATE "C",
  key_id bigint,
  address text,
  action text NOT NULL,
  object text,
  detail json NOT NULL
);
CREATE INDEX audit_by_age ON audit (at_ms);
-- For filters that few lines pass, which would read the whole trail.
CREATE INDEX audit_of_client ON audit (client_id, id);
CREATE INDEX audit_of_action ON audit (action, id);
`
