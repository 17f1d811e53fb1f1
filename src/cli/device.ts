/** How a simulated device hears of commands and answers them: one transport is one object of this kind. */
import type { AckStatus, Client, ConsumerMessage } from '../client/index.ts'
import { ConnectionError, pause, RequestError } from '../client/index.ts'

export interface DeviceTransport {
  /** Commands as they come, also those that came before and were not acknowledged. */
  commands(): AsyncIterable<ConsumerMessage>
  /** @returns the message's status now, which may be another final one; null: it is one that was not told */
  acknowledge(id: number, status: AckStatus): Promise<string | null>
}

/** Polls, each `intervalMs` while nothing new is there. Once it was there, a server that is gone is waited for. */
export function restDevice(client: Client, deviceId: string, intervalMs: number): DeviceTransport {
  return {
    async *commands() {
      let wasThere = false
      let lastId = 0
      for (;;) {
        const message = await client.poll(deviceId).catch((error: unknown) => {
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
