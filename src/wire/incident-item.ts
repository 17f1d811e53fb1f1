/** Converts an incident to the item of lists and events. */
import type { ListedIncident } from '../broker/incidents/incidents.ts'

export function toIncidentItem(incident: ListedIncident) {
  const { id, key, kind, state, reopened, devices, messages, waiting, mergedInto, ack } = incident
  return {
    id,
    key,
    kind,
    state,
    class: incident.class,
    signals: incident.signals,
    startedDate: incident.startedMs,
    changedDate: incident.changedMs,
    endedDate: incident.endedMs,
    reopened,
    devices,
    messages,
    waiting,
    acknowledged: ack && state !== 'OPEN' ? { by: ack.by, date: ack.atMs, note: ack.note } : null,
    mutedUntilDate: incident.mutedUntilMs,
    mergedInto,
  }
}
