/**
 * Statements of the hand-over for both databases. A name with a colon, such as `:from`, is a time of the range. Each list
 * follows an index on its times, except the first sightings, which are at most a million rows.
 */
import { MAX_ITEMS, MAX_READ_ROWS } from '../broker/contract/handover-store.ts'
import { INCIDENT_COLUMNS, selectList } from './incident-rows.ts'

const INCIDENT = `SELECT i.id, ${selectList(INCIDENT_COLUMNS, 'i.')},
    (SELECT l.text FROM incident_lines l WHERE l.incident_id = i.id AND l.text IS NOT NULL
       AND l.kind IN ('ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'NOTE') ORDER BY l.id DESC LIMIT 1) AS note
  FROM incidents i WHERE i.merged_into IS NULL AND i.started_ms < :to`

/** An event is at most an hour long. */
const HOUR_MS = 3_600_000

export const HANDOVER_STATEMENTS = {
  incidents: `SELECT * FROM (${INCIDENT} AND i.ended_ms IS NULL UNION ALL ${INCIDENT} AND i.ended_ms >= :from) found
    ORDER BY id DESC LIMIT ${MAX_READ_ROWS}`,

  firstSeen: `SELECT s.device_id AS "deviceId", s.first_ms AS "atMs", count(*) OVER () AS total FROM sightings s
    WHERE s.first_ms >= :from AND s.first_ms < :to
      AND NOT EXISTS (SELECT 1 FROM clients c WHERE c.device_id = s.device_id AND c.role <> 'DEVISE')
    ORDER BY s.first_ms DESC, s.device_id LIMIT ${MAX_ITEMS}`,

  returned: `SELECT s.device_id AS "deviceId", coalesce(s.missing_since_ms, s.ended_ms) AS "atMs", s.first_ms AS "sinceMs"
    FROM incident_signals s
    WHERE s.kind = 'DEVICE_SILENT' AND s.incident_id IN (SELECT id FROM incidents WHERE ended_ms IS NULL OR ended_ms >= :from)
      AND coalesce(s.missing_since_ms, s.ended_ms) >= :from AND coalesce(s.missing_since_ms, s.ended_ms) < :to
    ORDER BY 2 DESC, 1 LIMIT ${MAX_READ_ROWS}`,

  events: `SELECT device_id AS "deviceId", kind, last_ms AS "lastMs", count, detail FROM device_events
    WHERE at_ms >= :from - ${HOUR_MS} AND at_ms < :to AND last_ms >= :from AND kind IN ('REFUSED', 'FLAPPING')
    ORDER BY at_ms DESC LIMIT ${MAX_READ_ROWS}`,

  services: `SELECT device_id AS "deviceId", since_ms AS "sinceMs", until_ms AS "untilMs", reason, by FROM device_service
    WHERE since_ms < :to AND (until_ms IS NULL OR until_ms >= :from) ORDER BY since_ms, device_id LIMIT ${MAX_READ_ROWS}`,

  serviceLines: `SELECT object AS "deviceId", at_ms AS "atMs", :client AS by, detail FROM audit
    WHERE at_ms >= :from AND at_ms < :to AND action = 'device.service' AND object IS NOT NULL ORDER BY id DESC LIMIT ${MAX_READ_ROWS}`,

  notes: `SELECT device_id AS "deviceId", at_ms AS "atMs", by, text, count(*) OVER () AS total FROM device_notes
    WHERE at_ms >= :from AND at_ms < :to ORDER BY id DESC LIMIT ${MAX_ITEMS}`,

  changes: `SELECT :client AS by, action, count(*) AS count, max(at_ms) AS "lastMs" FROM audit
    WHERE at_ms >= :from AND at_ms < :to AND action <> 'login.refused' GROUP BY :client, action
    ORDER BY 3 DESC, 4 DESC LIMIT ${MAX_READ_ROWS}`,
} as const
