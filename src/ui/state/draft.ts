/** Keeps the command that is being written while other screens are shown, and suggests devices and commands for it. */
import { signal } from '@preact/signals'
import type { components, DeliveryGuarantee, ProducerMessageResult } from '../../client/index.ts'
import { formatJson, parseKeepingData, splitJson } from './json.ts'
import type { Query } from './location.ts'
import { loadMessage } from './message.ts'
import { call, callPage, clientOf, session } from './session.ts'

export interface Draft {
  readonly deviceId: string
  readonly command: string
  readonly guarantee: DeliveryGuarantee
  /** JSON text, as typed. */
  readonly data: string
}

/** The part of a message that does not depend on the device. */
export type MessageContent = Omit<Draft, 'deviceId'>

export const EMPTY_DRAFT: Draft = { deviceId: '', command: '', guarantee: 'RECEIPT_CONFIRMATION', data: '{}' }

export const draft = signal(EMPTY_DRAFT)

/** Query that the send dialog was opened with; null if the dialog is closed. */
export const dialogQuery = signal<Query | null>(null)

/** Number of messages that are searched for recent commands. */
const MESSAGES_SEARCHED = 30
const MAX_COMMANDS = 6
const MAX_SUGGESTIONS = 20

/**
 * Replaces the draft if the query names a message to edit and send again (`messageId`) or another device (`deviseId`).
 *
 * @throws {RequestError} 404: no message has this id
 */
export async function startDraft({ deviseId = '', messageId = '' }: Query): Promise<void> {
  if (messageId !== '') {
    const message = await loadMessage(Number(messageId))
    const { deviseId: deviceId, command, deliveryGuarantee: guarantee, data } = message
    draft.value = { deviceId, command, guarantee, data: formatJson(data) }
  } else if (deviseId !== '' && deviseId !== draft.value.deviceId) {
    draft.value = { ...EMPTY_DRAFT, deviceId: deviseId }
  }
}

/** Sends a draft. @throws {RequestError} 400; 429: the queue of the device is full */
export async function sendDraft({
  deviceId,
  command,
  guarantee,
  data,
}: Draft): Promise<ProducerMessageResult> {
  // `call` shows the sign-in when the session has expired.
  return call(async () => {
    const current = session.peek()
    const result = await (current && clientOf(current))?.send(deviceId, command, data, { guarantee })
    return { data: result as ProducerMessageResult, response: new Response() }
  })
}

/** Returns ids of devices that contain the search text. */
export async function suggestedDevices(search: string): Promise<string[]> {
  const query = { search, limit: MAX_SUGGESTIONS }
  const page = await callPage((api) => api.GET('/admin/api/devices', { params: { query } }))
  return page.items.map(({ deviseId }) => deviseId)
}

/** Returns the latest commands of a device, each name once. @param deviceId id of the device; '' for all devices */
export async function recentCommands(deviceId: string): Promise<MessageContent[]> {
  const query = { limit: MESSAGES_SEARCHED, ...(deviceId !== '' && { deviseId: deviceId }) }
  const list = await call((api) => api.GET('/admin/api/messages', { params: { query }, parseAs: 'text' }))
  const newest = new Map<string, MessageContent>()
  for (const [, text] of splitJson(list as unknown as string)) {
    const { command, deliveryGuarantee, data } = parseKeepingData<components['schemas']['Message']>(text)
    if (!newest.has(command))
      newest.set(command, { command, guarantee: deliveryGuarantee, data: formatJson(data) })
  }
  return [...newest.values()].slice(0, MAX_COMMANDS)
}
