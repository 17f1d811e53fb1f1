/** The one table of settings, and the only reader of the environment. --help, the README and the checks come from it. */
import { readFileSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { LineCounter, parseDocument } from 'yaml'
import { isLoopback, mqttListenAddress, parseAddress } from './address.ts'
import { hasNul, isTooLong, MAX_PASSWORD_BYTES } from './auth/password.ts'
import { MIN_SECRET_BYTES } from './auth/token.ts'
import { isFilter, overlaps } from './mqtt/topics.ts'
import { Choice, fromText, inWords, Text, type TSchema, Type } from './web/schema.ts'

export interface Settings {
  readonly address: string
  readonly port: number
  readonly adapter: 'node' | 'uws'
  readonly bodyLimit: number
  /** Empty: the default applies. */
  readonly prefixes: readonly string[]
  readonly watch: boolean
  readonly dataDir: string
  readonly mqttAddress: string
  readonly mqttExtraTopics: readonly string[]
  readonly mqttQos: 0 | 1 | 2
  readonly sendMessagePeriodMs: number
  readonly responseTimeoutMs: number
  readonly tlsCert: string | null
  readonly tlsKey: string | null
  readonly jwtSecret: string | null
  readonly jwtExpirationMs: number
  readonly permitAll: boolean
  readonly permitAllExposed: boolean
  readonly ownQueueOnly: boolean
  readonly adminId: string
  readonly adminPassword: string | null
  readonly queueLimit: number
  readonly historyDays: number
  readonly logLevel: string
}

export interface Setting {
  readonly name: keyof Settings
  /** The property in the configuration file, dots for nesting. */
  readonly key: string
  readonly env?: string
  /** The flag as `--help` shows it. */
  readonly flag?: string
  readonly schema: TSchema
  readonly default: unknown
  /** The default in words, where the value does not say it. */
  readonly defaultText?: string
  readonly unit?: string
  /** Between the items of a list in the environment; by default what PATH has. */
  readonly separator?: string
  readonly meaning: string
  /** Never shown. */
  readonly secret?: true
  /** A rule that no schema can say: what is wrong, or null. */
  readonly rule?: (value: never) => string | null
}

const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum, maximum })

export const SETTINGS: readonly Setting[] = [
  {
    name: 'address',
    key: 'server.address',
    env: 'REST_SERVER_ADDRESS',
    flag: '--host <host:port>',
    schema: Text({ minLength: 1 }),
    default: '127.0.0.1',
    meaning: 'address to listen on; 0.0.0.0 for every one of this machine',
  },
  {
    name: 'port',
    key: 'server.port',
    env: 'REST_SERVER_PORT',
    flag: '--host <host:port>',
    schema: integer(0, 65_535),
    default: 8080,
    meaning: 'port to listen on; 0 takes a free one',
  },
  {
    name: 'adapter',
    key: 'server.adapter',
    env: 'WAYBILL_ADAPTER',
    flag: '--adapter <name>',
    schema: Choice(['node', 'uws']),
    default: 'node',
    meaning: 'HTTP server: node (strict) or uws (faster, for trusted networks; needs uWebSockets.js)',
  },
  {
    name: 'bodyLimit',
    key: 'server.body-limit',
    env: 'WAYBILL_BODY_LIMIT',
    schema: integer(1, 268_435_456),
    default: 262_144,
    unit: 'bytes',
    meaning: 'largest request body',
  },
  {
    name: 'prefixes',
    key: 'endpoints.prefix',
    env: 'ENDPOINTS_PREFIX',
    flag: '--prefix <dir>',
    schema: Type.Array(Text({ minLength: 1 })),
    default: [],
    defaultText: '`./endpoints` where it exists, then `@broker`',
    meaning:
      'directory of endpoint files; the flag may be repeated, the variable is a list like PATH; @broker is the broker itself',
  },
  {
    name: 'watch',
    key: 'endpoints.watch',
    flag: '--watch',
    schema: Type.Boolean(),
    default: false,
    meaning: 'read endpoint files again when they change, for development',
  },
  {
    name: 'dataDir',
    key: 'data.dir',
    env: 'WAYBILL_DATA_DIR',
    flag: '--data-dir <dir>',
    schema: Text({ minLength: 1 }),
    default: './data',
    meaning: 'directory for messages and secrets; made with mode 0700 if it is not there',
  },
  {
    name: 'mqttAddress',
    key: 'mqtt.address',
    env: 'MQTT_ADDRESS',
    flag: '--mqtt <host:port|off>',
    schema: Text({ minLength: 1 }),
    default: '127.0.0.1:1883',
    meaning: 'address of the MQTT listener; off: no MQTT, over WebSocket neither',
    rule: (value: string) =>
      value === 'off' || parseAddress(value)?.port !== undefined ? null : 'expected HOST:PORT or off',
  },
  {
    name: 'mqttExtraTopics',
    key: 'mqtt.extra-topics',
    env: 'MQTT_EXTRA_TOPICS',
    schema: Type.Array(Text({ minLength: 1 })),
    default: [],
    defaultText: 'none',
    separator: ',',
    meaning:
      'topic filters open to every client beside those of the broker, for telemetry; the variable is a list with commas',
    rule: (filters: readonly string[]) => extraTopicsProblem(filters),
  },
  {
    name: 'mqttQos',
    key: 'mqtt.qos',
    env: 'MQTT_QOS',
    schema: integer(0, 2),
    default: 1,
    meaning: 'quality of service of the commands and statuses that the broker publishes',
  },
  {
    name: 'sendMessagePeriodMs',
    key: 'common.sendMessagePeriod',
    env: 'COMMON_SEND_MESSAGE_PERIOD',
    schema: integer(0, 86_400_000),
    default: 2_000,
    unit: 'ms',
    meaning: 'least time between two commands that are published to one device',
  },
  {
    name: 'responseTimeoutMs',
    key: 'common.mqttWaitResponseTimeout',
    env: 'COMMON_MQTT_WAIT_RESPONSE_TIMEOUT',
    schema: integer(1, 86_400_000),
    default: 30_000,
    unit: 'ms',
    meaning: 'time that a device has to acknowledge a command over MQTT; then it is published again',
  },
  {
    name: 'tlsCert',
    key: 'tls.cert',
    env: 'TLS_CERT',
    schema: Text({ minLength: 1 }),
    default: null,
    defaultText: 'none: no TLS',
    meaning:
      'PEM file with the certificate and its chain; with it HTTP and MQTT are served over TLS only (adapter node), and a changed file is taken up without a restart',
  },
  {
    name: 'tlsKey',
    key: 'tls.key',
    env: 'TLS_KEY',
    schema: Text({ minLength: 1 }),
    default: null,
    defaultText: 'none',
    meaning: 'PEM file with the key of the certificate',
  },
  {
    name: 'jwtSecret',
    key: 'app.jwt.secret',
    env: 'JWT_SECRET',
    schema: Text(),
    default: null,
    defaultText: 'made once and kept in the data directory',
    meaning: `secret that tokens are signed with, at least ${MIN_SECRET_BYTES} bytes of UTF-8`,
    secret: true,
    rule: (value: string) => {
      const bytes = Buffer.byteLength(value)
      return bytes < MIN_SECRET_BYTES ? `has ${bytes} bytes, at least ${MIN_SECRET_BYTES} are needed` : null
    },
  },
  {
    name: 'jwtExpirationMs',
    key: 'app.jwt.expiration-ms',
    env: 'JWT_EXPIRATION_MS',
    schema: integer(1000, 3_153_600_000_000),
    default: 86_400_000,
    unit: 'ms',
    meaning: 'lifetime of a token, in steps of a second',
  },
  {
    name: 'permitAll',
    key: 'app.security.permit-all',
    env: 'APP_SECURITY_PERMIT_ALL',
    schema: Type.Boolean(),
    default: false,
    meaning: 'switches access checks off, for development and tests',
  },
  {
    name: 'permitAllExposed',
    key: 'app.security.permit-all-exposed',
    env: 'APP_SECURITY_PERMIT_ALL_EXPOSED',
    schema: Type.Boolean(),
    default: false,
    meaning: 'allows the switch above on an address that is not loopback',
  },
  {
    name: 'ownQueueOnly',
    key: 'app.security.own-queue-only',
    env: 'APP_SECURITY_OWN_QUEUE_ONLY',
    schema: Type.Boolean(),
    default: false,
    meaning:
      'a client with role DEVISE fetches, acknowledges and is told of results for its own device id only',
  },
  {
    name: 'adminId',
    key: 'app.admin.id',
    env: 'ADMIN_ID',
    schema: Text({ minLength: 1, maxLength: 255, noControls: true }),
    default: 'admin',
    meaning: 'id of the first admin, made at a start that finds no client with role MAN',
  },
  {
    name: 'adminPassword',
    key: 'app.admin.password',
    env: 'ADMIN_PASSWORD',
    schema: Text({ minLength: 1 }),
    default: null,
    defaultText: 'a random one, printed once',
    meaning: `password of the first admin, at most ${MAX_PASSWORD_BYTES} bytes of UTF-8`,
    secret: true,
    rule: (value: string) => {
      if (isTooLong(value)) return `has more than ${MAX_PASSWORD_BYTES} bytes, bcrypt reads no further`
      return hasNul(value) ? 'has a NUL, which bcrypt takes for the end' : null
    },
  },
  {
    name: 'queueLimit',
    key: 'app.queue.limit',
    env: 'WAYBILL_QUEUE_LIMIT',
    schema: integer(1),
    default: 10_000,
    unit: 'messages',
    meaning: 'most undelivered messages for one device',
  },
  {
    name: 'historyDays',
    key: 'app.history.days',
    env: 'WAYBILL_HISTORY_DAYS',
    schema: integer(0, 36_500),
    default: 30,
    unit: 'days',
    meaning: 'how long a message is kept after its last change once it does not wait any more; 0: for ever',
  },
  {
    name: 'logLevel',
    key: 'log.level',
    env: 'WAYBILL_LOG_LEVEL',
    schema: Choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    meaning: 'least serious log lines to be written; debug has a line for each step of each message',
  },
]

/** A configuration that cannot be used; the message lists all that is wrong with it, a line each. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

export interface Sources {
  /** Values by setting, as given on the command line. */
  readonly flags?: Readonly<Partial<Record<keyof Settings | 'host' | 'config', unknown>>>
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Flag, then environment, then file, then default. @throws {ConfigError} that lists every problem */
export function readSettings({ flags = {}, env = process.env }: Sources = {}): Settings {
  const problems: string[] = []
  const configPath = (flags.config ?? env.WAYBILL_CONFIG) as string | undefined
  const file = configPath === undefined ? new Map<string, unknown>() : readConfigFile(configPath, problems)
  const given = { ...flags, ...hostFlag(flags.host as string | undefined, problems) }
  const settings: Record<string, unknown> = {}
  for (const setting of SETTINGS) {
    const { name, key, env: variable, flag } = setting
    const fromEnv = variable === undefined ? undefined : env[variable]
    let [source, value]: [string, unknown] = ['default', setting.default]
    if (given[name] !== undefined)
      [source, value] = [flag?.split(' ')[0] ?? name, fromFlag(setting, given[name])]
    else if (fromEnv !== undefined) [source, value] = [variable as string, fromVariable(setting, fromEnv)]
    else if (file.has(key)) [source, value] = [`${key} in ${configPath}`, file.get(key)]
    settings[name] = value
    if (source !== 'default') check(setting, source, value, problems)
  }
  const unknown = [...file.keys()].filter((key) => !SETTINGS.some((setting) => setting.key === key))
  for (const key of unknown)
    problems.push(`${key} in ${configPath}: there is no such setting; "waybill --help" lists them`)
  const result = settings as unknown as Settings
  const hosts = [result.address, mqttListenAddress(result.mqttAddress)?.host]
  const exposed = hosts.find((host) => host !== undefined && !isLoopback(host))
  if (result.permitAll === true && result.permitAllExposed !== true && exposed !== undefined) {
    problems.push(
      `APP_SECURITY_PERMIT_ALL: switches all access checks off, and ${exposed} is not a loopback address; ` +
        'listen on 127.0.0.1, or set APP_SECURITY_PERMIT_ALL_EXPOSED=true if you mean it',
    )
  }
  if ((result.tlsCert === null) !== (result.tlsKey === null))
    problems.push('tls.cert, tls.key: one is of no use without the other, set both or neither')
  if (result.tlsCert !== null && result.adapter === 'uws')
    problems.push('tls.cert: adapter uws serves no HTTPS; use --adapter node, or a proxy that ends TLS')
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...result, dataDir: resolve(result.dataDir) }
}

function check(setting: Setting, source: string, value: unknown, problems: string[]): void {
  const { schema, rule, secret } = setting
  if (!Value.Check(schema, value)) {
    const shown = secret || typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`
    problems.push(`${source}: expected ${inWords(schema)}${shown}`)
    return
  }
  const problem = rule?.(value as never) ?? null
  if (problem !== null) problems.push(`${source}: ${problem}`)
}

function fromFlag({ schema }: Setting, value: unknown): unknown {
  return typeof value === 'string' ? fromText(schema, value) : value
}

function fromVariable({ schema, separator = delimiter }: Setting, text: string): unknown {
  if (schema.type === 'array') return text.split(separator).filter((part) => part !== '')
  return fromText(schema, text)
}

function hostFlag(host: string | undefined, problems: string[]): Partial<Settings> {
  if (host === undefined) return {}
  const parsed = parseAddress(host)
  if (parsed) return parsed
  problems.push(`--host: expected HOST:PORT, HOST or :PORT, not ${JSON.stringify(host)}`)
  return {}
}

function extraTopicsProblem(filters: readonly string[]): string | null {
  for (const filter of filters) {
    const shown = JSON.stringify(filter)
    if (!isFilter(filter)) return `${shown} is no topic filter`
    if (filter.startsWith('$')) return `${shown} begins with $`
    if (overlaps(filter, 'producer/#') || overlaps(filter, 'consumer/#'))
      return `${shown} reaches under producer/ or consumer/, whose topics have rights of their own`
  }
  return null
}

const QUOTES = 'a value with special characters must stand in quotes'

function readConfigFile(path: string, problems: string[]): Map<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    problems.push(
      `--config: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}); name a readable YAML file`,
    )
    return new Map()
  }
  // The parser's own messages quote the line, which may hold a secret.
  const lines = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines })
  const [error] = document.errors
  if (error) {
    const { line, col } = lines.linePos(error.pos[0])
    problems.push(`${path}: line ${line}, column ${col} is not valid YAML (${error.code}); ${QUOTES}`)
    return new Map()
  }
  try {
    const content: unknown = document.toJS() ?? {}
    if (typeof content === 'object' && !Array.isArray(content)) return flat(content as object)
    problems.push(`${path}: expected properties, such as "server.port: 8080"`)
  } catch {
    problems.push(`${path}: an alias (*name) cannot be resolved; ${QUOTES}`)
  }
  return new Map()
}

/** `server: {port: 1}` and `server.port: 1` are the same. */
function flat(content: object, prefix = ''): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(content)) {
    const key = prefix + name
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!nested || SETTINGS.some((setting) => setting.key === key)) found.set(key, value)
    else for (const [inner, innermost] of flat(value, `${key}.`)) found.set(inner, innermost)
  }
  return found
}
