/** Defines how a simulated device receives and acknowledges commands, and implements it over REST. */
import type { AckStatus, Client } from '../client/index.ts'
import { ConnectionError, pause, RequestError } from '../client/index.ts'
import type { RawJson } from '../web/endpoint.ts'
import { extractRawMembers } from '../web/json.ts'

export interface DeviceCommand {
  readonly id: number
  readonly command: string
  /** JSON object as it was sent, on one line. */
  readonly data: string
}

export interface DeviceTransport {
  /** Yields commands as they arrive, also earlier ones that are not acknowledged. */
  commands(): AsyncIterable<DeviceCommand>
  /** Acknowledges a command. Resolves to its status, or to null if it has another final status that is unknown here. */
  acknowledge(id: number, status: AckStatus): Promise<string | null>
}

const RAW_MEMBERS = new Set(['data'])

/** Parses the JSON of a message, as a device receives it. */
export function parseCommand(text: string): DeviceCommand {
  const members: Record<string, unknown> = JSON.parse(text)
  extractRawMembers(members, text, RAW_MEMBERS)
  const { id, command, data } = members as { id: number; command: string; data: RawJson }
  // A JSON string has no line feed, so only white space between tokens is replaced.
  return { id, command, data: data.text.replace(/[\r\n]+/g, ' ') }
}

/**
 * Makes a device that polls over REST, every `intervalMs` while there is no new command. It throws if the first poll does
 * not reach the server. Later it waits for the server to return.
 */
export function restDevice(client: Client, deviceId: string, intervalMs: number): DeviceTransport {
  return {
    async *commands() {
      let wasReached = false
      let lastId = 0
      for (;;) {
        const message = await poll(client, deviceId).catch((error: unknown) => {
          if (wasReached && error instanceof ConnectionError) return null
          throw error
        })
        wasReached = true
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
  return list === '[]' ? null : parseCommand(list.slice(1, -1))
}
