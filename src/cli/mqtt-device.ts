/** A simulated device over MQTT: it is told of commands. Knows no REST. */
import { PassThrough } from 'node:stream'
import type { MqttClient } from 'mqtt'
import { commandOf, type DeviceCommand, type DeviceTransport } from './device.ts'
import { EXIT, Exit } from './exit.ts'

export interface MqttLogin {
  readonly username?: string
  readonly password?: string
}

const PORT = 1883

/** @param text `true` for the default: the host of `url`, the port that a server has when nobody says another */
export function mqttAddress(text: string | true, url: string): string {
  if (text === true) {
    const { protocol, hostname } = new URL(url)
    return `${protocol === 'https:' ? 'mqtts' : 'mqtt'}://${hostname}:${PORT}`
  }
  if (URL.canParse(text) && /^(?:mqtt|ws)s?:$/.test(new URL(text).protocol)) return text
  throw new Exit(EXIT.usage, `--mqtt: expected mqtt://HOST:PORT, not ${JSON.stringify(text)}`)
}

/**
 * Connected and subscribed; the end of its commands closes the connection. A lost one is made again.
 *
 * @throws {Exit} when nobody listens there, or the login or the subscription is refused
 */
export async function mqttDevice(url: string, login: MqttLogin, deviceId: string): Promise<DeviceTransport> {
  // The five topics have an id as one level [MQTT-4.7.1-2], [MQTT-4.7.1-3].
  if (/[/+#]/.test(deviceId)) throw new Exit(EXIT.usage, `"${deviceId}" cannot be reached by MQTT`)
  const inbox = new PassThrough({ objectMode: true })
  const client = await connect(url, login)
  client.on('message', (_topic, payload) => inbox.write(commandOf(payload.toString())))
  // A lost connection is no end, but to be refused when it is made again is.
  client.on('error', (error) => {
    if (codeOf(error) === null) return
    inbox.destroy(refusal(error))
    client.end(true)
  })
  try {
    await client.subscribeAsync(`consumer/request/${deviceId}`, { qos: 1 })
  } catch (error) {
    client.end(true)
    throw refusal(error)
  }
  return {
    async *commands(): AsyncGenerator<DeviceCommand> {
      try {
        yield* inbox
      } finally {
        await client.endAsync()
      }
    },
    async acknowledge(id, status) {
      const answer = JSON.stringify({ id, deliveryStatus: status })
      try {
        await client.publishAsync(`consumer/response/${deviceId}`, answer, { qos: 1 })
        return status
      } catch (error) {
        if (codeOf(error) === CODES.otherStatus) return null
        throw inbox.errored ?? refusal(error)
      }
    },
  }
}

async function connect(url: string, login: MqttLogin): Promise<MqttClient> {
  // Not at the head of the file: the other commands do without.
  const { default: mqtt } = await import('mqtt')
  const tryAgain = false
  try {
    return await mqtt.connectAsync(url, { ...login, protocolVersion: 5 }, tryAgain)
  } catch (error) {
    throw codeOf(error) === null ? unreachable(url, error) : refusal(error)
  }
}

/** MQTT 5 section 2.4. */
const CODES = { otherStatus: 0x83, badCredentials: 0x86, notAuthorized: 0x87 }

/** The reason code of a refusal, by SUBACK too; null: it is none. */
function codeOf(error: unknown): number | null {
  const { code, packet } = error as { code?: unknown; packet?: { granted: number[] } }
  return packet?.granted[0] ?? (typeof code === 'number' ? code : null)
}

function refusal(error: unknown): Exit {
  const isForbidden = [CODES.badCredentials, CODES.notAuthorized].includes(codeOf(error) ?? 0)
  return new Exit(isForbidden ? EXIT.notAllowed : EXIT.failure, `MQTT: ${(error as Error).message}`)
}

function unreachable(url: string, error: unknown): Exit {
  const { code, message } = error as { code?: string; message: string }
  return new Exit(EXIT.cannotConnect, `${url} cannot be reached: ${code ?? message}`)
}
