/** Finds out how far a new installation is: until one command is delivered, the overview shows the first steps. */
import type { components, LiveEvent } from '../../client/index.ts'
import { isStreamStart, messageChange } from './live.ts'
import { call, callPage } from './session.ts'

type Message = components['schemas']['Message']
type Device = components['schemas']['Device']

export interface FirstSteps {
  /** The device of the first steps: the first one in the list; null while there is none. */
  readonly device: Device | null
  /** True once the device was seen. */
  readonly isConnected: boolean
  /** The newest message; null while none was sent. */
  readonly message: Message | null
  readonly isDelivered: boolean
}

const KEY = 'waybill.firstDay'
const OVER = 'over'
/** An installation with more messages is no new one. */
const MAX_MESSAGES = 50

/** Returns the steps of a new installation; null once a command was delivered, or with many messages. */
export async function loadFirstSteps(): Promise<FirstSteps | null> {
  if (localStorage.getItem(KEY) === OVER) return null
  const query = { limit: MAX_MESSAGES }
  const { items, next } = await callPage<Message>((api) =>
    api.GET('/admin/api/messages', { params: { query } }),
  )
  const isDelivered = items.some(({ deliveredDate }) => deliveredDate !== null)
  if (next !== null) {
    endFirstDay()
    return null
  }
  const [message = null] = items
  const device = await firstDevice(message?.deviseId)
  return { device, isConnected: device !== null && device.lastSeenDate !== null, message, isDelivered }
}

/** Remembers in this browser that the first steps are over. */
export function endFirstDay(): void {
  localStorage.setItem(KEY, OVER)
}

/** Tells whether an event may be a step. */
export function concernsFirstSteps(event: LiveEvent): boolean {
  return messageChange(event) !== null || event.event === 'connection' || isStreamStart(event)
}

/** Returns the device of the newest message, or the first device of the list. */
async function firstDevice(deviceId: string | undefined): Promise<Device | null> {
  if (deviceId !== undefined) {
    const params = { path: { deviceId }, query: { details: true } }
    return call((api) => api.GET('/admin/api/devices/{deviceId}', { params }))
  }
  const query = { limit: 1, details: true }
  const [device = null] = await call((api) => api.GET('/admin/api/devices', { params: { query } }))
  return device
}
