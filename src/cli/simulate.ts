/**
 * `waybill simulate`: acts as a device that receives commands and acknowledges them, or fails to. Knows no transport.
 */
import { type Command, Option } from 'commander'
import { type Client, pause } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { RawJson } from '../web/endpoint.ts'
import { count, seconds, upTo } from './arguments.ts'
import { type DeviceCommand, type DeviceTransport, restDevice } from './device.ts'
import { JSON_SOURCES, jsonInput } from './input.ts'
import { type MqttLogin, mqttAddress, mqttDevice } from './mqtt-device.ts'
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
      new Option(
        '--result <json>',
        `result of each command, any JSON value, sent byte for byte; ${JSON_SOURCES}`,
      ).conflicts('deaf'),
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
  addExamples(command, [
    'simulate pump-1',
    'simulate pump-1 --mqtt --late 2 --count 10',
    `simulate meter-1 --result '{"kWh":17.5}'`,
    'simulate pump-1 --deaf',
  ])
  remote<Flags>(command, output, async (context, device) => {
    const flags = await withResult(context)
    const stop = output.interruption?.() ?? new AbortController().signal
    const { transport, name } = await connect(context, device as string)
    context.note(`simulating ${device} over ${name}: it ${behaviour(flags)}; Ctrl-C stops it`)
    const handled = await simulate(transport, flags, stop, context.print)
    context.note(`stopped after ${handled} command${handled === 1 ? '' : 's'}`)
  })
}

/** Returns the flags with the text of the result. */
async function withResult({ flags, output }: Remote<Flags & RemoteFlags>): Promise<Flags> {
  if (flags.result === undefined) return flags
  return { ...flags, result: await jsonInput('--result', flags.result, 'JSON', output) }
}

/** Handles commands until `stop` aborts or `count` is reached. Returns the number of commands. */
async function simulate(
  transport: DeviceTransport,
  flags: Flags,
  stop: AbortSignal,
  print: (value: RawJson, text: string) => void,
): Promise<number> {
  let { busy } = flags
  let handled = 0
  for await (const message of transport.commands(stop)) {
    if (busy !== undefined) {
      await transport.busy(busy)
      print(...shown(message, null, `busy for ${busy} s`))
      busy = undefined
      continue
    }
    const status = await handle(transport, message, flags, stop)
    if (status === STOPPED) break
    print(...shown(message, status, status ?? 'not acknowledged'))
    if (++handled === flags.count) break
  }
  return handled
}

function behaviour({ deaf, fail, late, busy }: Flags): string {
  const pause = busy === undefined ? '' : `first asks for a pause of ${busy} s, then `
  if (deaf) return `${pause}acknowledges nothing`
  const end = fail ? 'COMPLETED_WITH_ERROR' : 'COMPLETED'
  return `${pause}acknowledges each command as DELIVERED, then${late > 0 ? ` ${late} s later` : ''} as ${end}`
}

/** Returns a command and its status as JSON and as a line of text. */
function shown({ id, command, data }: DeviceCommand, status: string | null, end: string): [RawJson, string] {
  const [name, deliveryStatus] = [command, status].map((each) => JSON.stringify(each))
  const now = new Date()
  const text = `{"time":"${now.toISOString()}","id":${id},"command":${name},"data":${data},"deliveryStatus":${deliveryStatus}}`
  return [new RawJson(text), `${timeOfDay(now)} ${id} ${command} ${data} ${end}`]
}

function timeOfDay(date: Date): string {
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Returns the device, and a description of its transport and address. */
async function connect(
  { client, flags, trust }: Remote<Flags & RemoteFlags>,
  device: string,
): Promise<{ transport: DeviceTransport; name: string }> {
  const { mqtt, interval, waitSeconds, url, user, password, token } = flags
  if (mqtt === undefined) {
    const transport = restDevice(client, device, { intervalMs: interval * 1000, waitSeconds })
    return { transport, name: `REST at ${url}` }
  }
  const address = mqttAddress(mqtt, url)
  const login = await mqttLogin(client, { user, password, token })
  return { transport: await mqttDevice(address, login, trust, device), name: `MQTT at ${address}` }
}

async function mqttLogin(
  client: Client,
  { user, password, token }: Pick<RemoteFlags, 'user' | 'password' | 'token'>,
): Promise<MqttLogin> {
  if (user !== undefined && password !== undefined) return { username: user, password }
  if (token === undefined) return {}
  // MQTT takes a token as the password, together with the id of its client.
  const { deviseId } = await client.call((api) => api.GET('/auth/me'))
  return { username: deviseId, password: token }
}

/** Result of a command if the device stopped before completing it. */
const STOPPED = Symbol('stopped')

/**
 * Acknowledges a command according to the flags. Resolves to its status; null if the device did not acknowledge, or too
 * late.
 */
async function handle(
  transport: DeviceTransport,
  { id }: DeviceCommand,
  { deaf, fail, late, result, reason }: Flags,
  stop: AbortSignal,
): Promise<string | null | typeof STOPPED> {
  if (deaf) return null
  await transport.acknowledge(id, 'DELIVERED')
  await pause(late * 1000, stop)
  if (stop.aborted) return STOPPED
  const report = { ...(result !== undefined && { result }), ...(reason !== undefined && { reason }) }
  return transport.acknowledge(id, fail ? 'COMPLETED_WITH_ERROR' : 'COMPLETED', report)
}
