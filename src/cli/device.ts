/** Defines the interface of a simulated device, and implements it over REST. */
import type { AckStatus, Client } from '../client/index.ts'
import { ConnectionError, pause, RequestError } from '../client/index.ts'
import type { RawJson } from '../web/endpoint.ts'
import { extractRawMembers } from '../web/json.ts'

export interface DeviceCommand {
  readonly id: number
  readonly command: string
  /** JSON object as sent, on one line. */
  readonly data: string
}

export interface DeviceReport {
  /** JSON text, which is sent byte for byte. */
  readonly result?: string
  readonly reason?: string
}

export interface DeviceTransport {
  /** Yields commands as they arrive, including earlier unacknowledged commands, until `stop` aborts. */
  commands(stop: AbortSignal): AsyncIterable<DeviceCommand>
  /** Acknowledges a command. Resolves to its status, or to null if it already has another final status. */
  acknowledge(id: number, status: AckStatus, report?: DeviceReport): Promise<string | null>
  /** Asks the server to dispatch nothing for a number of seconds. */
  busy(seconds: number): Promise<void>
}

export function acknowledgement(
  id: number,
  deliveryStatus: AckStatus,
  { result, reason }: DeviceReport = {},
): string {
  const text = JSON.stringify({ id, deliveryStatus, reason })
  return result === undefined ? text : `${text.slice(0, -1)},"result":${result}}`
}

const RAW_MEMBERS = new Set(['data'])

/** Parses a message in the form that devices receive. */
export function parseCommand(text: string): DeviceCommand {
  const members: Record<string, unknown> = JSON.parse(text)
  extractRawMembers(members, Buffer.from(text), RAW_MEMBERS)
  const { id, command, data } = members as { id: number; command: string; data: RawJson }
  // A JSON string has no line feed, so only white space between tokens is replaced.
  return { id, command, data: data.text.replace(/[\r\n]+/g, ' ') }
}

export interface RestOptions {
  /** Minimum time between two polls that the server answered at once. */
  readonly intervalMs: number
  /** Seconds for which the server may hold a poll; 0 for plain polls. */
  readonly waitSeconds?: number
}

/**
 * Creates a device that polls over REST. It polls every `intervalMs` while there is no new command and the server holds
 * no poll. It throws if the first poll does not reach the server; later it waits for the server to return.
 */
export function restDevice(
  client: Client,
  deviceId: string,
  { intervalMs, waitSeconds = 0 }: RestOptions,
): DeviceTransport {
  return {
    async *commands(stop) {
      let wasReached = false
      let lastId = 0
      while (!stop.aborted) {
        const startMs = performance.now()
        const message = await poll(client, deviceId, waitSeconds, stop).catch((error: unknown) => {
          if (stop.aborted || (wasReached && error instanceof ConnectionError)) return null
          throw error
        })
        const heldMs = performance.now() - startMs
        wasReached = true
        if (message) yield message
        if (!message || message.id === lastId) await pause(Math.max(0, intervalMs - heldMs), stop)
        lastId = message?.id ?? lastId
      }
    },
    async acknowledge(id, status, report) {
      const text = acknowledgement(id, status, report)
      try {
        const { deliveryStatus } = await client.call((api) =>
          api.POST('/consumer/request/{deviceId}', {
            params: { path: { deviceId } },
            body: { id },
            bodySerializer: () => text,
          }),
        )
        return deliveryStatus ?? null
      } catch (error) {
        if (!(error instanceof RequestError) || error.status !== 409) throw error
        return (error.body as { deliveryStatus: string }).deliveryStatus
      }
    },
    async busy(seconds) {
      await client.busy(deviceId, seconds)
    },
  }
}

async function poll(
  client: Client,
  deviceId: string,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<DeviceCommand | null> {
  const params = { path: { deviceId }, query: waitSeconds === 0 ? {} : { wait: waitSeconds } }
  const list = (await client.call((api) =>
    api.GET('/consumer/getLastMessage/{deviceId}', { params, parseAs: 'text', signal }),
  )) as unknown as string
  return list === '[]' ? null : parseCommand(list.slice(1, -1))
}
