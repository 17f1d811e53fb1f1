/** Settings: the source of each value, and refused values. */
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { problemsOf, settingsOf } from '../_support/settings.ts'

describe('precedence of sources', () => {
  test('text → flag, environment, file, default', () => {
    const flags = { dataDir: '/from-flag' }
    const env = { WAYBILL_DATA_DIR: '/from-env' }
    const file = 'data: {dir: /from-file}'
    expect(settingsOf({ flags, env, file }).dataDir).toBe('/from-flag')
    expect(settingsOf({ env, file }).dataDir).toBe('/from-env')
    expect(settingsOf({ file }).dataDir).toBe('/from-file')
    expect(settingsOf({}).dataDir).toBe(resolve('data'))
  })

  test('an integer → flag, environment, file, default', () => {
    const flags = { host: ':1' }
    const env = { REST_SERVER_PORT: '2' }
    const file = 'server: {port: 3}'
    expect(settingsOf({ flags, env, file }).port).toBe(1)
    expect(settingsOf({ env, file }).port).toBe(2)
    expect(settingsOf({ file }).port).toBe(3)
    expect(settingsOf({}).port).toBe(8080)
  })

  test('a choice → flag, environment, file, default', () => {
    const flags = { adapter: 'uws' }
    const env = { WAYBILL_ADAPTER: 'node' }
    const file = 'server: {adapter: uws}'
    expect(settingsOf({ flags, env }).adapter).toBe('uws')
    expect(settingsOf({ env, file }).adapter).toBe('node')
    expect(settingsOf({ file }).adapter).toBe('uws')
    expect(settingsOf({}).adapter).toBe('node')
  })

  test('a boolean → flag, environment, file, default', () => {
    expect(settingsOf({ flags: { watch: true }, file: 'endpoints: {watch: false}' }).watch).toBe(true)
    expect(settingsOf({ file: 'endpoints: {watch: true}' }).watch).toBe(true)
    expect(settingsOf({}).watch).toBe(false)
    const file = 'app: {security: {permit-all: true}}'
    expect(settingsOf({ env: { APP_SECURITY_PERMIT_ALL: 'false' }, file }).permitAll).toBe(false)
    expect(settingsOf({ file }).permitAll).toBe(true)
    expect(settingsOf({}).permitAll).toBe(false)
  })

  test('a list → all of it from one source', () => {
    const flags = { prefixes: ['a', 'b'] }
    const env = { ENDPOINTS_PREFIX: 'c:d' }
    const file = 'endpoints: {prefix: [e, f]}'
    expect(settingsOf({ flags, env, file }).prefixes).toEqual(['a', 'b'])
    expect(settingsOf({ env, file }).prefixes).toEqual(['c', 'd'])
    expect(settingsOf({ file }).prefixes).toEqual(['e', 'f'])
    expect(settingsOf({}).prefixes).toEqual([])
  })

  test('a secret → environment, file, default; it has no flag', () => {
    const env = { ADMIN_PASSWORD: 'from-env' }
    const file = 'app: {admin: {password: from-file}}'
    expect(settingsOf({ env, file }).adminPassword).toBe('from-env')
    expect(settingsOf({ file }).adminPassword).toBe('from-file')
    expect(settingsOf({}).adminPassword).toBe(null)
  })

  test('a wrong value in a source of lower rank → ignored', () => {
    expect(problemsOf({ flags: { host: ':1' }, env: { REST_SERVER_PORT: 'x' } })).toEqual([])
  })
})

test('defaults: no source gives a value → the documented defaults', () => {
  const { origins, ...values } = settingsOf({})
  expect(new Set(Object.values(origins))).toEqual(new Set(['DEFAULT']))
  expect(values).toEqual({
    address: '127.0.0.1',
    port: 8080,
    adapter: 'node',
    bodyLimit: 262_144,
    prefixes: [],
    watch: false,
    dataDir: resolve('data'),
    store: null,
    changeSettings: false,
    allowDataLoss: false,
    mqttAddress: '127.0.0.1:1883',
    mqttExtraTopics: [],
    trustedProxies: [],
    corsOrigins: [],
    mqttQos: 1,
    sendMessagePeriodMs: 2_000,
    responseTimeoutMs: 30_000,
    maxAttempts: 10,
    validSeconds: 0,
    idempotencyHours: 24,
    waitsLimit: 1_000,
    tlsCert: null,
    tlsKey: null,
    jwtSecret: null,
    jwtExpirationMs: 86_400_000,
    permitAll: false,
    permitAllExposed: false,
    ownQueueOnly: false,
    adminId: 'admin',
    adminPassword: null,
    maxConnections: 10_000,
    nodeAddress: null,
    mqttMaxConnections: 10_000,
    mqttProxyProtocol: false,
    queueLimit: 10_000,
    queueBytes: 67_108_864,
    historyDays: 30,
    auditDays: 90,
    deviceLogDays: 30,
    deviceLogAddresses: true,
    expectedSeconds: 0,
    incidentDays: 90,
    metricsPublic: false,
    logLevel: 'info',
    logRequests: false,
    unknownVariables: [],
  })
})

describe('--host', () => {
  test.each([
    ['0.0.0.0:9000', '0.0.0.0', 9000],
    ['example.org:80', 'example.org', 80],
    ['localhost', 'localhost', 8080],
    [':9000', '127.0.0.1', 9000],
    ['9000', '127.0.0.1', 9000],
    ['0', '127.0.0.1', 0],
    [':0', '127.0.0.1', 0],
    ['127.0.0.1:65535', '127.0.0.1', 65_535],
    ['[::1]:9000', '::1', 9000],
    ['[::1]', '::1', 8080],
    ['::1', '::1', 8080],
  ])('%s → address %s and port %i', (host, address, port) => {
    expect(settingsOf({ flags: { host } })).toMatchObject({ address, port })
  })

  test('a host or a port alone → the other one from the environment', () => {
    const env = { REST_SERVER_ADDRESS: '10.0.0.1', REST_SERVER_PORT: '9000' }
    expect(settingsOf({ flags: { host: '10.0.0.2' }, env })).toMatchObject({
      address: '10.0.0.2',
      port: 9000,
    })
    expect(settingsOf({ flags: { host: ':9001' }, env })).toMatchObject({ address: '10.0.0.1', port: 9001 })
  })

  test.each(['', ':', 'a:', 'a:b', 'a:1:2', ':-1', ':1e3', '8080abc:1x', '[::1', '[]:1', '[x]:1', 'a b'])(
    '"%s" → refused',
    (host) => {
      expect(problemsOf({ flags: { host } })).toEqual([
        `--host: expected HOST:PORT, HOST or PORT, not "${host}"`,
      ])
    },
  )
})

describe('--mqtt', () => {
  test.each(['off', '127.0.0.1:1883', ':1883', '1883', '[::1]:1883', 'example.org:0'])(
    '%s → accepted',
    (mqttAddress) => {
      expect(settingsOf({ flags: { mqttAddress } }).mqttAddress).toBe(mqttAddress)
    },
  )

  test.each(['on', '127.0.0.1', '1883x', '::1', 'a:b'])('"%s" → refused', (mqttAddress) => {
    expect(problemsOf({ flags: { mqttAddress } })).toEqual(['--mqtt: expected HOST:PORT or off'])
    expect(problemsOf({ env: { MQTT_ADDRESS: mqttAddress } })).toEqual([
      'MQTT_ADDRESS: expected HOST:PORT or off',
    ])
  })
})

describe('access checks are off', () => {
  const env = { APP_SECURITY_PERMIT_ALL: 'true' }

  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('on %s → accepted', (host) => {
    expect(problemsOf({ flags: { host }, env })).toEqual([])
  })

  test.each(['0.0.0.0', '[::]:8080', '192.168.0.1', '128.0.0.1', 'example.org', '127.example.org'])(
    'on %s → refused unless confirmed',
    (host) => {
      expect(problemsOf({ flags: { host }, env })).toEqual([
        expect.stringMatching(/^APP_SECURITY_PERMIT_ALL: .* APP_SECURITY_PERMIT_ALL_EXPOSED=true/),
      ])
      const confirmed = { ...env, APP_SECURITY_PERMIT_ALL_EXPOSED: 'true' }
      expect(problemsOf({ flags: { host }, env: confirmed })).toEqual([])
    },
  )
})

test('WAYBILL_TRUSTED_PROXIES: addresses and ranges → a list; anything else → refused', () => {
  const good = { WAYBILL_TRUSTED_PROXIES: '10.0.0.0/8,::1' }
  expect(settingsOf({ env: good }).trustedProxies).toEqual(['10.0.0.0/8', '::1'])
  expect(problemsOf({ env: { WAYBILL_TRUSTED_PROXIES: '10.0.0.0/8,proxy.example' } })).toEqual([
    'WAYBILL_TRUSTED_PROXIES: "proxy.example" is no IP address and no CIDR range; write one such as 192.0.2.7 or 10.0.0.0/8',
  ])
})

describe('MQTT_EXTRA_TOPICS', () => {
  test('a list with commas → filters; a wrong one → refused', () => {
    const env = { MQTT_EXTRA_TOPICS: 'telemetry/#,log/+:x/a' }
    expect(problemsOf({ env })).toEqual(['MQTT_EXTRA_TOPICS: "log/+:x/a" is not a topic filter'])
    const good = { MQTT_EXTRA_TOPICS: 'telemetry/#,urn:x/+' }
    expect(settingsOf({ env: good }).mqttExtraTopics).toEqual(['telemetry/#', 'urn:x/+'])
  })

  test.each(['#', '+/request/a', 'producer', 'consumer/x', '+/#', '$SYS/#', 'a#'])(
    '%s → refused',
    (filter) => {
      expect(problemsOf({ env: { MQTT_EXTRA_TOPICS: filter } })).toEqual([
        expect.stringMatching(/^MQTT_EXTRA_TOPICS: "/),
      ])
    },
  )
})

test('TLS: a certificate without its key, or with adapter uws → refused', () => {
  expect(problemsOf({ env: { TLS_CERT: 'c.pem' } })).toEqual([
    'tls.cert (TLS_CERT) is set, and tls.key (TLS_KEY) is not; set it to the PEM file with the private key of the certificate',
  ])
  expect(problemsOf({ env: { TLS_KEY: 'k.pem' } })).toEqual([
    'tls.key (TLS_KEY) is set, and tls.cert (TLS_CERT) is not; set it to the PEM file with the certificate and its chain',
  ])
  expect(problemsOf({ env: { TLS_CERT: 'c.pem', TLS_KEY: 'k.pem', WAYBILL_ADAPTER: 'uws' } })).toEqual([
    'tls.cert: adapter uws does not serve HTTPS; use --adapter node, or a proxy that terminates TLS',
  ])
})

test('a port above 65535 → refused, with the number', () => {
  for (const address of ['65536', ':65536', '127.0.0.1:65536', '[::1]:999999']) {
    const port = address.split(':').at(-1)
    const problem = `port ${port} is above 65535; use 0 to 65535`
    expect(problemsOf({ flags: { host: address, mqttAddress: address } })).toEqual([
      `--host: ${problem}`,
      `--mqtt: ${problem}`,
    ])
  }
})

test('a file that is indented by tabs → refused with the cure', () => {
  const [problem] = problemsOf({ file: 'server:\n\tport: 1' })
  expect(problem).toMatch(
    /line 2, column 1 is not valid YAML \(TAB_AS_INDENT\); a tab does not indent in YAML, use spaces$/,
  )
})

test('an empty variable → absent, also for the path of the file', () => {
  expect(problemsOf({ env: { WAYBILL_CONFIG: '', ADMIN_PASSWORD: '' } })).toEqual([])
})

test('an empty password in the file → refused, since it is empty', () => {
  const [problem] = problemsOf({ file: "app: {admin: {password: ''}}" })
  expect(problem).toMatch(/app\.admin\.password.*: is empty; give it a value, or remove it$/)
})

test('PROXY protocol: without a trusted proxy → refused', () => {
  const env = { MQTT_PROXY_PROTOCOL: 'true' }
  expect(problemsOf({ env })).toEqual([
    'mqtt.proxy-protocol: server.trusted-proxies names no proxy; set it to the addresses of your proxies, or set mqtt.proxy-protocol to false',
  ])
  expect(settingsOf({ env: { ...env, WAYBILL_TRUSTED_PROXIES: '10.0.0.5' } }).mqttProxyProtocol).toBe(true)
})

test('access checks are off: MQTT on a public address → refused', () => {
  const flags = { mqttAddress: '0.0.0.0:1883' }
  expect(problemsOf({ flags, env: { APP_SECURITY_PERMIT_ALL: 'true' } })).toEqual([
    expect.stringMatching(/^APP_SECURITY_PERMIT_ALL: .* 0\.0\.0\.0 is not a loopback address/),
  ])
})

test('origins: values from all sources → FLAG, ENVIRONMENT, FILE or DEFAULT for each', () => {
  const { origins } = settingsOf({
    flags: { host: ':1' },
    env: { WAYBILL_DATA_DIR: '/from-env' },
    file: 'mqtt: {qos: 2}',
  })
  expect(origins).toMatchObject({
    port: 'FLAG',
    address: 'DEFAULT',
    dataDir: 'ENVIRONMENT',
    mqttQos: 'FILE',
  })
})
