/** Keeps the unsent command while other screens are shown, and suggests devices and commands for it. */
import { signal } from '@preact/signals'
import type { components, DeliveryGuarantee } from '../../client/index.ts'
import { formatJson, parseKeepingData, splitJson } from './json.ts'
import type { Query } from './location.ts'
import { loadMessage } from './message.ts'
import { call, callPage } from './session.ts'
import { loadTemplate, templateTermsOf } from './templates.ts'

/** Terms of a message. A null or absent term has its default. */
export interface Terms {
  readonly validSeconds?: number | null | undefined
  readonly finishSeconds?: number | null | undefined
  readonly delaySeconds?: number | null | undefined
  readonly maxAttempts?: number | null | undefined
}

export interface Draft {
  readonly deviceIds: readonly string[]
  readonly command: string
  readonly guarantee: DeliveryGuarantee
  /** JSON text, as typed. */
  readonly data: string
  readonly terms: Terms
}

/** Part of a message that does not depend on the device. */
export type MessageContent = Omit<Draft, 'deviceIds' | 'terms'>

export const EMPTY_DRAFT: Draft = {
  deviceIds: [],
  command: '',
  guarantee: 'RECEIPT_CONFIRMATION',
  data: '{}',
  terms: {},
}

export const draft = signal(EMPTY_DRAFT)

/** Query of the open send dialog; null if the dialog is closed. */
export const dialogQuery = signal<Query | null>(null)

/** Number of messages that are searched for recent commands. */
const MESSAGES_SEARCHED = 30
const MAX_COMMANDS = 6
const MAX_SUGGESTIONS = 20
/** No device id has a line break. */
const SEPARATOR = '\n'

export function sendTo(deviceIds: readonly string[]): void {
  dialogQuery.value = { deviseIds: deviceIds.join(SEPARATOR) }
}

/** Replaces the draft if the query names other devices (`deviseId`, `deviseIds`). */
export function startDevices({ deviseId = '', deviseIds = deviseId }: Query): void {
  const deviceIds = deviseIds.split(SEPARATOR).filter((each) => each !== '')
  if (deviceIds.length > 0 && deviseIds !== draft.peek().deviceIds.join(SEPARATOR)) {
    draft.value = { ...EMPTY_DRAFT, deviceIds }
  }
}

/**
 * Replaces the draft if the query names a message to edit and send again (`messageId`), or a template (`templateId`).
 *
 * @throws {RequestError} 404: no message or template has this id
 */
export async function startContent({ messageId = '', templateId = '' }: Query): Promise<void> {
  if (messageId !== '') {
    const message = await loadMessage(Number(messageId))
    const { deviseId: deviceId, command, deliveryGuarantee: guarantee, data } = message
    draft.value = { deviceIds: [deviceId], command, guarantee, data: formatJson(data), terms: {} }
  } else if (templateId !== '') {
    const template = await loadTemplate(Number(templateId))
    const { deviseId: owner, command, deliveryGuarantee: guarantee, data } = template
    const terms = templateTermsOf(template)
    const deviceIds = owner === null ? [] : [owner]
    draft.value = { deviceIds, command, guarantee, data: formatJson(data), terms }
  }
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
