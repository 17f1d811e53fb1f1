/** `waybill simulate`: acts as a device that receives and acknowledges commands, or fails to. Knows no transport. */
import { type Command, Option } from 'commander'
import { pause } from '../client/index.ts'
import { RawJson } from '../web/endpoint.ts'
import { count, json, seconds, upTo } from './arguments.ts'
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
  readonly waitSeconds: number
  readonly result?: string
  readonly reason?: string
  readonly busy?: number
}

/** Maximum time for which the server holds a poll, and for which a device may be busy. */
const MAX_WAIT_SECONDS = 60
const MAX_BUSY_SECONDS = 86_400

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
    .addOption(
      new Option('--result <json>', 'result of each command, any JSON value; sent byte for byte')
        .argParser(json)
        .conflicts('deaf'),
    )
    .addOption(new Option('--reason <text>', 'reason for the final status of each command').conflicts('deaf'))
    .option(
      '--busy <seconds>',
      'at the first command, ask the server to dispatch nothing for this time',
      upTo(MAX_BUSY_SECONDS),
    )
    .option('--count <n>', 'stop after this number of commands', count)
    .option(
      '--interval <seconds>',
      'time between two polls that the server does not hold (REST only)',
      seconds,
      0.5,
    )
    .option(
      '--wait-seconds <n>',
      'time for which the server holds a poll; 0: plain polls (REST only)',
      upTo(MAX_WAIT_SECONDS),
      25,
    )
  remote<Flags>(command, output, async (context, device) => {
    const { flags, print } = context
    const transport = await connect(context, device as string)
    let left = flags.count ?? Number.POSITIVE_INFINITY
    let { busy } = flags
    for await (const message of transport.commands()) {
      if (busy !== undefined) {
        await transport.busy(busy)
        print(...shown(message, null, `busy for ${busy} s`))
        busy = undefined
        continue
      }
      const status = await handle(transport, message, flags)
      print(...shown(message, status, status ?? 'not acknowledged'))
      if (--left === 0) return
    }
  })
}

/** Returns a command and its status as JSON and as a line of text. */
function shown({ id, command, data }: DeviceCommand, status: string | null, end: string): [RawJson, string] {
  const [name, deliveryStatus] = [command, status].map((each) => JSON.stringify(each))
  const text = `{"id":${id},"command":${name},"data":${data},"deliveryStatus":${deliveryStatus}}`
  return [new RawJson(text), `${id} ${command} ${data} ${end}`]
}

async function connect(
  { client, flags }: Remote<Flags & RemoteFlags>,
  device: string,
): Promise<DeviceTransport> {
  const { mqtt, interval, waitSeconds, url, user, password, token } = flags
  if (mqtt === undefined) return restDevice(client, device, { intervalMs: interval * 1000, waitSeconds })
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
  { deaf, fail, late, result, reason }: Flags,
): Promise<string | null> {
  if (deaf) return null
  await transport.acknowledge(id, 'DELIVERED')
  await pause(late * 1000)
  const report = { ...(result !== undefined && { result }), ...(reason !== undefined && { reason }) }
  return transport.acknowledge(id, fail ? 'COMPLETED_WITH_ERROR' : 'COMPLETED', report)
}
