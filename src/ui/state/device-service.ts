/** Takes devices out of service, and reads and changes the notes about them. */

import type { DeviceNote, NewDeviceService } from '../../client/index.ts'
import { call } from './session.ts'

const paramsOf = (deviceId: string) => ({ path: { deviceId } })

/** Takes a device out of service, or changes the reason and the end. @throws {RequestError} 400: the end is not ahead */
export async function takeOutOfService(deviceId: string, service: NewDeviceService): Promise<void> {
  const params = paramsOf(deviceId)
  await call((api) => api.PUT('/admin/api/devices/{deviceId}/service', { params, body: service }))
}

/** Takes up to 1,000 devices out of service. @throws {RequestError} 400: the end is not ahead */
export async function takeAllOutOfService(
  devices: readonly string[],
  service: NewDeviceService,
): Promise<void> {
  const body = { devices: [...devices], ...service }
  await call((api) => api.POST('/admin/api/devices/service', { body }))
}

/** Returns a device to service. @throws {RequestError} 404: it is in service */
export async function returnToService(deviceId: string): Promise<void> {
  await call((api) => api.DELETE('/admin/api/devices/{deviceId}/service', { params: paramsOf(deviceId) }))
}

/** Counts the pending messages of a device that expire until a date. @param untilDate null: at any time */
export async function countExpiring(deviceId: string, untilDate: number | null): Promise<number> {
  const params = { path: { deviceId }, query: untilDate === null ? {} : { untilDate } }
  return (await call((api) => api.GET('/admin/api/devices/{deviceId}/service', { params }))).expiring
}

/** Returns the notes about a device, the newest first. */
export function loadNotes(deviceId: string): Promise<DeviceNote[]> {
  return call((api) => api.GET('/admin/api/devices/{deviceId}/notes', { params: paramsOf(deviceId) }))
}

/** Adds a note about a device. @throws {RequestError} 409: it has too many */
export async function addNote(deviceId: string, text: string): Promise<void> {
  const params = paramsOf(deviceId)
  await call((api) => api.POST('/admin/api/devices/{deviceId}/notes', { params, body: { text } }))
}

/** Removes a note about a device. @throws {RequestError} 404: it is removed already */
export async function removeNote(deviceId: string, noteId: number): Promise<void> {
  const params = { path: { deviceId, noteId } }
  await call((api) => api.DELETE('/admin/api/devices/{deviceId}/notes/{noteId}', { params }))
}
