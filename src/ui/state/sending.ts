/** The command that is being written: kept while the person looks elsewhere, and what helps to write it. */
import { signal } from '@preact/signals'
import type { components, DeliveryGuarantee, ProducerMessageResult } from '../../client/index.ts'
import { partsOf, setOut, withDataText } from './json.ts'
import type { Query } from './location.ts'
import { loadMessage } from './message.ts'
import { call, callPage, session } from './session.ts'

export interface Draft {
  readonly deviceId: string
  readonly command: string
  readonly guarantee: DeliveryGuarantee
  /** JSON, as it is typed. */
  readonly data: string
}

export type Recent = Omit<Draft, 'deviceId'>

export const BLANK: Draft = { deviceId: '', command: '', guarantee: 'RECEIPT_CONFIRMATION', data: '{}' }

export const draft = signal(BLANK)

/** What the dialog was opened with; null: it is closed. */
export const opened = signal<Query | null>(null)

/** Messages that are looked through for recent commands. */
const LOOKED_AT = 30
const MOST_RECENT = 6
const SUGGESTIONS = 20

/**
 * Begins anew where the person came from something: a device (`deviseId`), or a message (`messageId`) to be sent again, changed.
 *
 * @throws {RequestError} 404
 */
export async function begin({ deviseId = '', messageId = '' }: Query): Promise<void> {
  if (messageId !== '') {
    const message = await loadMessage(Number(messageId))
    const { deviseId: deviceId, command, deliveryGuarantee: guarantee, data } = message
    draft.value = { deviceId, command, guarantee, data: setOut(data) }
  } else if (deviseId !== '' && deviseId !== draft.value.deviceId) {
    draft.value = { ...BLANK, deviceId: deviseId }
  }
}

/** @throws {RequestError} 400, 429 */
export async function send({ deviceId, command, guarantee, data }: Draft): Promise<ProducerMessageResult> {
  // Through `call` for what it does when the session has ended.
  return call(async () => {
    const current = session.peek()
    const result = await current?.client.send(deviceId, command, data, { guarantee })
    return { data: result as ProducerMessageResult, response: new Response() }
  })
}

/** Ids of devices that contain what was typed so far. */
export async function suggestedDevices(search: string): Promise<string[]> {
  const query = { search, limit: SUGGESTIONS }
  const page = await callPage((api) => api.GET('/admin/api/devices', { params: { query } }))
  return (page.items as readonly { deviseId: string }[]).map(({ deviseId }) => deviseId)
}

/** Different commands that this device (or, for '', any) was sent last. */
export async function recentCommands(deviceId: string): Promise<Recent[]> {
  const query = { limit: LOOKED_AT, ...(deviceId !== '' && { deviseId: deviceId }) }
  const list = await call((api) => api.GET('/admin/api/messages', { params: { query }, parseAs: 'text' }))
  const newest = new Map<string, Recent>()
  for (const [, text] of partsOf(list as unknown as string)) {
    const { command, deliveryGuarantee, data } = withDataText<components['schemas']['Message']>(text)
    if (!newest.has(command))
      newest.set(command, { command, guarantee: deliveryGuarantee, data: setOut(data) })
  }
  return [...newest.values()].slice(0, MOST_RECENT)
}
