/** Implements a simulated device over MQTT: the broker pushes its commands. Knows no REST. */
import { PassThrough } from 'node:stream'
import type { MqttClient } from 'mqtt'
import { EXIT, Exit } from '../process/exit.ts'
import { acknowledgement, type DeviceCommand, type DeviceTransport, parseCommand } from './device.ts'
import { isCertificateError, type Trust, UNTRUSTED_CURE } from './tls.ts'

export interface MqttLogin {
  readonly username?: string
  readonly password?: string
}

const DEFAULT_PORT = 1883

/**
 * Returns the URL of the MQTT listener.
 *
 * @param text value of --mqtt; true means the default port on the host of `url`
 * @throws {Exit} when the text is no URL for MQTT
 */
export function mqttAddress(text: string | true, url: string): string {
  if (text === true) {
    const { protocol, hostname } = new URL(url)
    return `${protocol === 'https:' ? 'mqtts' : 'mqtt'}://${hostname}:${DEFAULT_PORT}`
  }
  if (URL.canParse(text) && /^(?:mqtt|ws)s?:$/.test(new URL(text).protocol)) return text
  throw new Exit(EXIT.usage, `--mqtt: expected mqtt://HOST:PORT, not ${JSON.stringify(text)}`)
}

/**
 * Connects and subscribes a device. The end of its command stream closes the connection. A lost connection is reopened.
 *
 * @throws {Exit} when the server cannot be reached, or refuses the login or the subscription
 */
export async function mqttDevice(
  url: string,
  login: MqttLogin,
  trust: Trust,
  deviceId: string,
): Promise<DeviceTransport> {
  // The id is one level of the topics [MQTT-4.7.1-2], [MQTT-4.7.1-3].
  if (/[/+#]/.test(deviceId)) {
    throw new Exit(EXIT.usage, `"${deviceId}" has /, + or # and cannot use MQTT: leave out --mqtt`)
  }
  const inbox = new PassThrough({ objectMode: true })
  const client = await connect(url, login, trust)
  client.on('message', (_topic, payload) => {
    if (inbox.writable) inbox.write(parseCommand(payload.toString()))
  })
  // The device survives a lost connection. It ends when the server refuses the next connection.
  client.on('error', (error) => {
    if (reasonCodeOf(error) === null) return
    inbox.destroy(refusal(error))
    client.end(true)
  })
  try {
    await client.subscribeAsync(`consumer/request/${deviceId}`, { qos: 1 })
  } catch (error) {
    client.end(true)
    throw refusal(error)
  }
  const respond = async (payload: string): Promise<boolean> => {
    try {
      await client.publishAsync(`consumer/response/${deviceId}`, payload, { qos: 1 })
      return true
    } catch (error) {
      if (reasonCodeOf(error) === REASON.otherStatus) return false
      throw inbox.errored ?? refusal(error)
    }
  }
  return {
    async *commands(stop): AsyncGenerator<DeviceCommand> {
      try {
        stop.addEventListener('abort', () => inbox.end())
        if (!stop.aborted) yield* inbox
      } finally {
        await client.endAsync()
      }
    },
    async acknowledge(id, status, report) {
      const isTaken = await respond(acknowledgement(id, status, report))
      return isTaken ? status : null
    },
    async busy(seconds) {
      await respond(JSON.stringify({ busySeconds: seconds }))
    },
  }
}

async function connect(url: string, login: MqttLogin, trust: Trust): Promise<MqttClient> {
  // Imported on demand, so that other commands need not load it.
  const { default: mqtt } = await import('mqtt')
  const allowRetries = false
  try {
    return await mqtt.connectAsync(url, { ...login, ...trust, protocolVersion: 5 }, allowRetries)
  } catch (error) {
    throw reasonCodeOf(error) === null ? unreachable(url, error) : refusal(error)
  }
}

/** Reason codes (MQTT 5 section 2.4). */
const REASON = { otherStatus: 0x83, badCredentials: 0x86, notAuthorized: 0x87 }

/** Returns the reason code of an error or a refused SUBACK; null without one. */
function reasonCodeOf(error: unknown): number | null {
  const { code, packet } = error as { code?: unknown; packet?: { granted: number[] } }
  return packet?.granted[0] ?? (typeof code === 'number' ? code : null)
}

function refusal(error: unknown): Exit {
  const isForbidden = [REASON.badCredentials, REASON.notAuthorized].includes(reasonCodeOf(error) ?? 0)
  return new Exit(isForbidden ? EXIT.notAllowed : EXIT.failure, `MQTT: ${(error as Error).message}`)
}

function unreachable(url: string, error: unknown): Exit {
  const { code, message } = error as { code?: string; message: string }
  const cure = isCertificateError(error) ? `. ${UNTRUSTED_CURE}` : ''
  return new Exit(EXIT.cannotConnect, `${url} cannot be reached: ${code ?? message}${cure}`)
}
