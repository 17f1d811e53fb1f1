/** Devices as the server tells of them. */
import type { components, NewDeviceSettings } from '../../client/index.ts'
import { call, callPage, type Page } from './session.ts'

export type Device = components['schemas']['Device']
export type Client = components['schemas']['Client']

/** Rows of a page; the server looks through a bounded number of devices for each. */
const ROWS = 100
/** Pages that are asked for at once when they are short. */
const MOST_PAGES = 20

/** So many devices whose id contains `search`, if there are as many. @param atLeast rows that are wanted */
export async function loadDevices(search: string, atLeast = ROWS): Promise<Page<Device>> {
  const items: Device[] = []
  let query: Page<Device>['next'] = { limit: String(ROWS), ...(search !== '' && { search }) }
  for (let pages = 0; query !== null && items.length < atLeast && pages < MOST_PAGES; pages++) {
    const page: Page<Device> = await pageOf(query)
    items.push(...page.items)
    query = page.next
  }
  return { items, next: query }
}

export interface DeviceWithClient {
  readonly device: Device
  /** Null: nobody can log in as this device yet. */
  readonly client: Client | null
}

/** Of any id: one that nobody knows has an empty queue. */
export async function loadDevice(deviceId: string): Promise<DeviceWithClient> {
  const params = { path: { deviceId }, query: { details: true } }
  const device = (await call((api) => api.GET('/admin/api/devices/{deviceId}', { params }))) as Device
  return { device, client: device.clientId === null ? null : await loadClient(device.clientId) }
}

async function loadClient(id: number): Promise<Client> {
  return (await call((api) => api.GET('/admin/api/clients/{id}', { params: { path: { id } } }))) as Client
}

function pageOf(query: Readonly<Record<string, string>>): Promise<Page<Device>> {
  return callPage((api) => api.GET('/admin/api/devices', { params: { query: query as object } })) as Promise<
    Page<Device>
  >
}

/** Replaces all settings of a device. @throws {RequestError} 400: a value is out of its range */
export async function changeDeviceSettings(deviceId: string, settings: NewDeviceSettings): Promise<void> {
  const params = { path: { deviceId } }
  await call((api) => api.PUT('/admin/api/devices/{deviceId}', { params, body: settings }))
}

/** A password that nobody has to remember: 20 letters and digits that are not mistaken for each other. */
export function madeUpPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  // 56 letters: values beyond the last multiple of it would favour the first ones.
  const fair = Math.floor(256 / letters.length) * letters.length
  let password = ''
  while (password.length < 20) {
    const [value = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (value < fair) password += letters[value % letters.length]
  }
  return password
}

/** All clients as a file to keep. */
export async function downloadClients(): Promise<void> {
  const csv = await call((api) => api.GET('/admin/api/clients/export', { parseAs: 'blob' }))
  saveAs(csv as unknown as Blob, 'clients.csv')
}

/** A browser that is told to save reads the file a moment later. */
const SAVING_MS = 60_000

/** Hands a file over to the browser. */
export function saveAs(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), SAVING_MS)
}
