/** `waybill simulate`: acts as a device that receives and acknowledges commands, or fails to. Knows no transport. */
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
    .description('simulate a device: receive and acknowledge commands until stopped')
    .option(
      '--mqtt [url]',
      'receive commands over MQTT instead of REST (default: port 1883 on the host of --url)',
    )
    .option('--late <seconds>', 'delay before each command is completed', seconds, 0)
    .option('--deaf', 'acknowledge nothing')
    .option('--fail', 'complete each command with an error')
    .option('--count <n>', 'stop after this number of commands', count)
    .option('--interval <seconds>', 'time between two polls (REST only)', seconds, 0.5)
  remote<Flags>(command, output, async (context, device) => {
    const { flags, print } = context
    const transport = await connect(context, device as string)
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
  // MQTT takes a token as the password, together with the id of its client.
  const { deviseId } = await client.call((api) => api.GET('/auth/me'))
  return mqttDevice(address, { username: deviseId, password: token }, device)
}

/** Acknowledges a command as the flags say. Resolves to its status; null: the device did not acknowledge, or too late. */
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
