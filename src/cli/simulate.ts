/** `waybill simulate`: a device that receives commands and acknowledges them, or fails to. Knows no transport. */
import type { Command } from 'commander'
import { pause } from '../client/index.ts'
import { RawJson } from '../web/endpoint.ts'
import { count, seconds } from './arguments.ts'
import { type DeviceCommand, type DeviceTransport, restDevice } from './device.ts'
import { mqttAddress, mqttDevice } from './mqtt-device.ts'
import { type Output, type Remote, type RemoteFlags, remote } from './remote.ts'

interface Flags {
  readonly mqtt?: string | true
  readonly late: number
  readonly deaf?: true
  readonly fail?: true
  readonly count?: number
  readonly interval: number
}

export function addSimulate(program: Command, output: Output): void {
  const command = program
    .command('simulate <device>')
    .description('be a device: receive commands and acknowledge them, until it is stopped')
    .option('--mqtt [url]', 'be told over MQTT (default: port 1883 of the host of --url), not poll over REST')
    .option('--late <seconds>', 'complete each command so much later', seconds, 0)
    .option('--deaf', 'acknowledge nothing')
    .option('--fail', 'complete each command with an error')
    .option('--count <n>', 'end after so many commands', count)
    .option('--interval <seconds>', 'time between two polls, over REST', seconds, 0.5)
  remote<Flags>(command, output, async (its, device) => {
    const { flags, print } = its
    const transport = await connect(its, device as string)
    let left = flags.count ?? Number.POSITIVE_INFINITY
    for await (const message of transport.commands()) {
      const { id, command, data } = message
      const deliveryStatus = await handle(transport, message, flags)
      const shown = deliveryStatus ?? 'not acknowledged'
      const [name, status] = [command, deliveryStatus].map((each) => JSON.stringify(each))
      const json = `{"id":${id},"command":${name},"data":${data},"deliveryStatus":${status}}`
      print(new RawJson(json), `${id} ${command} ${data} ${shown}`)
      if (--left === 0) return
    }
  })
}

async function connect(
  { client, flags }: Remote<Flags & RemoteFlags>,
  device: string,
): Promise<DeviceTransport> {
  const { mqtt, interval, url, user, password, token } = flags
  if (mqtt === undefined) return restDevice(client, device, interval * 1000)
  const address = mqttAddress(mqtt, url)
  if (user !== undefined && password !== undefined)
    return mqttDevice(address, { username: user, password }, device)
  if (token === undefined) return mqttDevice(address, {}, device)
  // A token takes the password's place, beside the id that it was given to.
  const { deviseId } = await client.call((api) => api.GET('/auth/me'))
  return mqttDevice(address, { username: deviseId, password: token }, device)
}

/** @returns the message's status afterwards; null when the device kept silent, or spoke too late */
async function handle(
  transport: DeviceTransport,
  { id }: DeviceCommand,
  { deaf, fail, late }: Flags,
): Promise<string | null> {
  if (deaf) return null
  await transport.acknowledge(id, 'DELIVERED')
  await pause(late * 1000)
  return transport.acknowledge(id, fail ? 'COMPLETED_WITH_ERROR' : 'COMPLETED')
}
