/** Listens to every event of a store. */
import type { StoreEvent } from '../../src/broker/contract/store.ts'
import type { StoreEventName, StoreListener } from '../../src/broker/contract/store-listeners.ts'

/** All names. A new event does not compile until it stands here. */
const NAMES: Record<StoreEventName, true> = {
  added: true,
  removed: true,
  settings: true,
  transitioned: true,
  busy: true,
  service: true,
  unfinished: true,
  deadline: true,
  'attempts-left': true,
}

/** Returns a listener that wants all events. */
export function allEvents(call: (event: StoreEvent) => void): StoreListener {
  return Object.fromEntries(Object.keys(NAMES).map((name) => [name, call]))
}
