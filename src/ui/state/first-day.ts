/**
 * Determines the progress of a new installation. Until one command is delivered, the overview shows the first steps.
 */
import type { components, LiveEvent } from '../../client/index.ts'
import { isStreamStart, messageChange } from './live.ts'
import { call, callPage } from './session.ts'

type Message = components['schemas']['Message']
type Device = components['schemas']['Device']

export interface FirstSteps {
  /** Device of the first steps: the first in the list; null without one. */
  readonly device: Device | null
  /** True once the device was seen. */
  readonly isConnected: boolean
  /** Newest message; null without one. */
  readonly message: Message | null
  readonly isDelivered: boolean
}

const KEY = 'waybill.firstDay'
const OVER = 'over'
/** Messages above which an installation does not count as new. */
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

/** Stores in this browser that the first steps are over. */
export function endFirstDay(): void {
  localStorage.setItem(KEY, OVER)
}

/** Returns whether an event may complete a step. */
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
