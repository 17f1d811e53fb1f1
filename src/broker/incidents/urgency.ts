/** Orders incidents: what a person should look at first. */
import type { IncidentKind, IncidentRecord, IncidentStateName } from '../contract/incident-store.ts'

/** Classes by kind, the most urgent first. */
const CLASSES: Readonly<Record<IncidentKind, number>> = {
  STORAGE_FAILED: 1,
  DISK_NEARLY_FULL: 1,
  CLOCK_BEHIND: 1,
  OUTAGE: 2,
  DEVICE: 3,
  AWAY: 3,
  FAILED: 4,
  PARKED: 4,
  NOT_FINISHED: 4,
  ADDRESS: 5,
  FLAPPING: 5,
  QUEUES_OPEN: 6,
}
const AWAY_WITHOUT_COMMANDS = 5

const STATE_ORDER: readonly IncidentStateName[] = ['OPEN', 'ACKNOWLEDGED', 'MUTED', 'ENDED']

/** Returns the class of an incident, from 1, the most urgent. Devices that are away are urgent while commands wait. */
export function classOf({ kind, waiting }: Pick<IncidentRecord, 'kind' | 'waiting'>): number {
  return kind === 'AWAY' && waiting === 0 ? AWAY_WITHOUT_COMMANDS : CLASSES[kind]
}

/** Compares two incidents by class, state, commands that wait, devices and age. */
export function compareIncidents(one: IncidentRecord, other: IncidentRecord): number {
  return (
    classOf(one) - classOf(other) ||
    STATE_ORDER.indexOf(one.state) - STATE_ORDER.indexOf(other.state) ||
    other.waiting - one.waiting ||
    other.devices - one.devices ||
    one.startedMs - other.startedMs ||
    one.id - other.id
  )
}
