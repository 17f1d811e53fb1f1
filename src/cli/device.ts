/** How a simulated device hears of commands and answers them: one transport is one object of this kind. */
import type { AckStatus, Client } from '../client/index.ts'
import { ConnectionError, pause, RequestError } from '../client/index.ts'
import type { RawJson } from '../web/endpoint.ts'
import { extractRawMembers } from '../web/json.ts'

export interface DeviceCommand {
  readonly id: number
  readonly command: string
  /** A JSON object as it was sent, but on one line. */
  readonly data: string
}

export interface DeviceTransport {
  /** Commands as they come, also those that came before and were not acknowledged. */
  commands(): AsyncIterable<DeviceCommand>
  /** @returns the message's status now, which may be another final one; null: it is one that was not told */
  acknowledge(id: number, status: AckStatus): Promise<string | null>
}

const RAW_MEMBERS = new Set(['data'])

/** @param text of a message as a device gets it */
export function commandOf(text: string): DeviceCommand {
  const members: Record<string, unknown> = JSON.parse(text)
  extractRawMembers(members, text, RAW_MEMBERS)
  const { id, command, data } = members as { id: number; command: string; data: RawJson }
  // Inside of a string JSON has no line feed: what is replaced stands between two parts.
  return { id, command, data: data.text.replace(/[\r\n]+/g, ' ') }
}

/** Polls, each `intervalMs` while nothing new is there. Once it was there, a server that is gone is waited for. */
export function restDevice(client: Client, deviceId: string, intervalMs: number): DeviceTransport {
  return {
    async *commands() {
      let wasThere = false
      let lastId = 0
      for (;;) {
        const message = await poll(client, deviceId).catch((error: unknown) => {
          if (wasThere && error instanceof ConnectionError) return null
          throw error
        })
        wasThere = true
        if (message) yield message
        if (!message || message.id === lastId) await pause(intervalMs)
        lastId = message?.id ?? lastId
      }
    },
    async acknowledge(id, status) {
      try {
        return await client.acknowledge(deviceId, id, status)
      } catch (error) {
        if (!(error instanceof RequestError) || error.status !== 409) throw error
        return (error.body as { deliveryStatus: string }).deliveryStatus
      }
    },
  }
}

async function poll(client: Client, deviceId: string): Promise<DeviceCommand | null> {
  const params = { path: { deviceId } }
  const list = (await client.call((api) =>
    api.GET('/consumer/getLastMessage/{deviceId}', { params, parseAs: 'text' }),
  )) as unknown as string
  return list === '[]' ? null : commandOf(list.slice(1, -1))
}
