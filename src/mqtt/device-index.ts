/**
 * Finds the gateways that cover a device. Each new message asks, so the cost does not grow with the number of gateways.
 * Knows no connection.
 */
import type { GatewayDevices } from './gateways.ts'

/** Owners by id, or by prefix of ids. */
type Owners<T> = Map<string, Set<T>>

export class DeviceIndex<T> {
  readonly #byId: Owners<T> = new Map()
  /** Owners by prefix, grouped by the length of the prefix. */
  readonly #byPrefix = new Map<number, Owners<T>>()

  add(owner: T, { ownId, list }: GatewayDevices): void {
    for (const id of [ownId, ...list.ids]) addTo(this.#byId, id, owner)
    for (const prefix of list.prefixes()) {
      const owners: Owners<T> = this.#byPrefix.get(prefix.length) ?? new Map()
      this.#byPrefix.set(prefix.length, owners)
      addTo(owners, prefix, owner)
    }
  }

  remove(owner: T, { ownId, list }: GatewayDevices): void {
    for (const id of [ownId, ...list.ids]) removeFrom(this.#byId, id, owner)
    for (const prefix of list.prefixes()) {
      const owners = this.#byPrefix.get(prefix.length)
      if (!owners) continue
      removeFrom(owners, prefix, owner)
      if (owners.size === 0) this.#byPrefix.delete(prefix.length)
    }
  }

  covering(deviceId: string): ReadonlySet<T> {
    const found = new Set(this.#byId.get(deviceId))
    for (const [length, owners] of this.#byPrefix) {
      for (const owner of owners.get(deviceId.slice(0, length)) ?? []) found.add(owner)
    }
    return found
  }
}

function addTo<T>(owners: Owners<T>, key: string, owner: T): void {
  const known = owners.get(key)
  if (known) known.add(owner)
  else owners.set(key, new Set([owner]))
}

function removeFrom<T>(owners: Owners<T>, key: string, owner: T): void {
  const known = owners.get(key)
  known?.delete(owner)
  if (known?.size === 0) owners.delete(key)
}
