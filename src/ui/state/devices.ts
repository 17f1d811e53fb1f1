/** Reads devices from the server, and hands files to the browser. */
import type { components, NewDeviceSettings } from '../../client/index.ts'
import type { Client } from './clients.ts'
import { csvOf } from './csv.ts'
import type { Query } from './location.ts'
import { call, callPage, type Page } from './session.ts'

export type Device = components['schemas']['Device']
export type DeviceCounts = components['schemas']['DeviceCounts']
export type Queue = components['schemas']['Queue']

const ROWS = 100
/** Filters of the list that the address of the screen may have. */
export const DEVICE_FILTERS = ['search', 'state', 'with', 'sort', 'order'] as const

/** Returns the matching devices. @param atLeast minimum number of rows to read, if they exist */
export async function loadDevices(filters: Query, atLeast = ROWS): Promise<Page<Device>> {
  const given = DEVICE_FILTERS.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))
  const items: Device[] = []
  let query: Query | null = { details: 'true', limit: String(ROWS), ...Object.fromEntries(given) }
  while (query !== null && items.length < atLeast) {
    const page: Page<Device> = await pageOf(query)
    items.push(...page.items)
    query = page.next
  }
  return { items, next: query }
}

/** Returns the numbers of devices by state and by problem. */
export function loadDeviceCounts(): Promise<DeviceCounts> {
  return call((api) => api.GET('/admin/api/devices/counts', { params: { query: { details: true } } }))
}

/** Returns the oldest pending messages of a device. */
export function loadQueue(deviceId: string, limit: number): Promise<Queue> {
  const params = { path: { deviceId }, query: { limit } }
  return call((api) => api.GET('/admin/api/devices/{deviceId}/queue', { params }))
}

export interface DeviceWithClient {
  readonly device: Device
  /** Null if no client has the id of the device, so that the device cannot log in. */
  readonly client: Client | null
}

/** Returns the device with any id. An unknown id has an empty queue. */
export async function loadDevice(deviceId: string): Promise<DeviceWithClient> {
  const params = { path: { deviceId }, query: { details: true } }
  const device = await call((api) => api.GET('/admin/api/devices/{deviceId}', { params }))
  return { device, client: device.clientId === null ? null : await loadClient(device.clientId) }
}

/** Returns the devices that are unknown to the server. A device whose look-up fails counts as known. */
export async function unknownDevices(deviceIds: readonly string[]): Promise<string[]> {
  const found = await Promise.all(deviceIds.map((each) => loadDevice(each).catch(() => null)))
  return deviceIds.filter((_, i) => {
    const device = found[i]?.device
    return device?.clientId === null && device.lastSeenDate === null && device.lastMessage === null
  })
}

function loadClient(id: number): Promise<Client> {
  return call((api) => api.GET('/admin/api/clients/{id}', { params: { path: { id } } }))
}

function pageOf(query: Query): Promise<Page<Device>> {
  return callPage((api) => api.GET('/admin/api/devices', { params: { query: query as object } }))
}

/** Replaces all settings of a device. @throws {RequestError} 400: a value is out of its range */
export async function changeDeviceSettings(deviceId: string, settings: NewDeviceSettings): Promise<void> {
  const params = { path: { deviceId } }
  await call((api) => api.PUT('/admin/api/devices/{deviceId}', { params, body: settings }))
}

/** Ends the pause that a device asked for. */
export async function endBusy(deviceId: string): Promise<void> {
  const params = { path: { deviceId } }
  await call((api) => api.POST('/consumer/request/{deviceId}', { params, body: { busySeconds: 0 } }))
}

/**
 * Cancels the pending messages of a device that were never dispatched, at most 10,000.
 *
 * @param force true also cancels messages that the device may have
 * @returns numbers of messages
 */
export async function cancelQueue(
  deviceId: string,
  { command, force }: { readonly command?: string; readonly force: boolean },
): Promise<{ cancelled: number; handedOver: number }> {
  const params = { path: { deviceId } }
  const body = { force, ...(command !== undefined && { command }) }
  const { cancelled, handedOver } = await call((api) =>
    api.POST('/admin/api/devices/{deviceId}/cancel', { params, body }),
  )
  return { cancelled: cancelled.length, handedOver: handedOver.length }
}

/** Returns a random password of 20 letters and digits, without look-alikes such as 0 and O. */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  // A byte beyond the last multiple of the number of letters would favour the first letters.
  const fair = Math.floor(256 / letters.length) * letters.length
  let password = ''
  while (password.length < 20) {
    const [value = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (value < fair) password += letters[value % letters.length]
  }
  return password
}

export async function downloadClients(): Promise<void> {
  const csv = await call((api) => api.GET('/admin/api/clients/export', { parseAs: 'blob' }))
  downloadFile(csv as unknown as Blob, 'clients.csv')
}

/** Downloads the shown devices as a CSV file. */
export function downloadDevices(devices: readonly Device[]): void {
  const rows = devices.map((device) => [
    device.deviseId,
    device.description,
    device.state,
    device.transport,
    device.waiting,
    device.oldestWaitingDate,
    device.lastSeenDate,
    device.parked,
    device.failed,
    device.lastMessage?.command,
    device.lastMessage?.deliveryStatus,
    device.lastDeliveryMs,
  ])
  const names = [
    'deviseId',
    'description',
    'state',
    'transport',
    'waiting',
    'oldestWaitingDate',
    'lastSeenDate',
    'parked',
    'failed',
    'lastCommand',
    'lastStatus',
    'lastDeliveryMs',
  ]
  downloadFile(new Blob([csvOf([names, ...rows])], { type: 'text/csv' }), 'devices.csv')
}

/** Milliseconds before the URL of a download is revoked. The browser reads the file some time after the click. */
const REVOKE_DELAY_MS = 60_000

/** Makes the browser download `content` as a file. */
export function downloadFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_DELAY_MS)
}
