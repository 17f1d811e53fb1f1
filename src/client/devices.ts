/** Calls about one device that people make: out of service, and notes. */
import type { DeviceNote, DeviceService, NewDeviceService } from './options.ts'
import type { Session } from './session.ts'

/**
 * Takes devices out of service, and keeps notes about them. All methods reject with a `RequestError` when the server
 * answers with an error status.
 *
 * @example
 * ```ts
 * await client.devices.takeOutOfService('pump-1', { reason: 'the valve is replaced', untilDate: Date.now() + 86_400_000 })
 * await client.devices.addNote('pump-1', 'a new valve is ordered')
 * await client.devices.returnToService('pump-1')
 * ```
 */
export class DeviceCalls {
  readonly #session: Pick<Session, 'call'>

  /** @param session makes the calls */
  constructor(session: Pick<Session, 'call'>) {
    this.#session = session
  }

  /**
   * Returns the time out of service of a device; null if it is in service. For role MAN or READER.
   *
   * @throws {RequestError} 401, 403
   */
  async service(deviceId: string): Promise<DeviceService | null> {
    const params = { path: { deviceId } }
    const { service } = await this.#session.call((api) =>
      api.GET('/admin/api/devices/{deviceId}/service', { params }),
    )
    return service
  }

  /**
   * Takes a device out of service: its messages wait. A further call replaces the end and the reason. For role MAN.
   *
   * @throws {RequestError} 400: the end is not ahead, by a year at most; 401, 403
   */
  takeOutOfService(deviceId: string, service: NewDeviceService): Promise<DeviceService> {
    const params = { path: { deviceId } }
    return this.#session.call((api) =>
      api.PUT('/admin/api/devices/{deviceId}/service', { params, body: service }),
    )
  }

  /** Returns a device to service, for role MAN. @throws {RequestError} 401, 403; 404: the device is in service */
  async returnToService(deviceId: string): Promise<void> {
    const params = { path: { deviceId } }
    await this.#session.call((api) => api.DELETE('/admin/api/devices/{deviceId}/service', { params }))
  }

  /**
   * Takes up to 1,000 devices out of service, or with null returns them to service, in one commit. For role MAN.
   *
   * @returns the number of devices that changed
   * @throws {RequestError} 400, 401, 403
   */
  async changeService(deviceIds: readonly string[], service: NewDeviceService | null): Promise<number> {
    const devices = [...deviceIds]
    const body = service === null ? { devices, end: true } : { devices, ...service }
    const { changed } = await this.#session.call((api) => api.POST('/admin/api/devices/service', { body }))
    return changed
  }

  /** Returns the notes about a device, the newest first. For role MAN or READER. @throws {RequestError} 401, 403 */
  notes(deviceId: string): Promise<DeviceNote[]> {
    const params = { path: { deviceId } }
    return this.#session.call((api) => api.GET('/admin/api/devices/{deviceId}/notes', { params }))
  }

  /** Adds a note about a device, for role MAN. @throws {RequestError} 400, 401, 403; 409: the device has 50 notes */
  addNote(deviceId: string, text: string): Promise<DeviceNote> {
    const params = { path: { deviceId } }
    return this.#session.call((api) =>
      api.POST('/admin/api/devices/{deviceId}/notes', { params, body: { text } }),
    )
  }

  /** Removes a note about a device, for role MAN. @throws {RequestError} 401, 403; 404: there is no such note */
  async removeNote(deviceId: string, noteId: number): Promise<void> {
    const params = { path: { deviceId, noteId } }
    await this.#session.call((api) => api.DELETE('/admin/api/devices/{deviceId}/notes/{noteId}', { params }))
  }
}
