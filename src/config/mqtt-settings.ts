/** Lists the settings of MQTT, a part of the table of all settings. */
import { listenAddress } from '../net/address.ts'
import { Text, Type } from '../web/schema.ts'
import { integer, row } from './row.ts'
import { extraTopicsProblem, listenAddressProblem, nodeAddressProblem } from './rules.ts'

export const MQTT_SETTINGS = [
  row({
    name: 'mqttAddress',
    key: 'mqtt.address',
    env: 'MQTT_ADDRESS',
    flag: '--mqtt <host:port|off>',
    schema: Text({ minLength: 1 }),
    default: '127.0.0.1:1883',
    meaning: 'address of the MQTT listener; off disables MQTT, including MQTT over WebSocket',
    listens: (address) => listenAddress(address)?.host ?? null,
    rule: listenAddressProblem,
  }),
  row({
    name: 'nodeAddress',
    key: 'mqtt.node-address',
    env: 'WAYBILL_NODE_ADDRESS',
    flag: '--node-address <host:port>',
    schema: Text({ minLength: 1 }),
    default: null,
    defaultText: 'the address of the MQTT listener',
    meaning:
      'where the other nodes on one PostgreSQL reach the MQTT listener of this one, when --mqtt is not that address',
    rule: nodeAddressProblem,
  }),
  row({
    name: 'mqttMaxConnections',
    key: 'mqtt.max-connections',
    env: 'MQTT_MAX_CONNECTIONS',
    schema: integer(1),
    default: 10_000,
    unit: 'connections',
    meaning: 'maximum connections of the MQTT listener at a time; a further one is closed at once',
  }),
  row({
    name: 'mqttProxyProtocol',
    key: 'mqtt.proxy-protocol',
    env: 'MQTT_PROXY_PROTOCOL',
    schema: Type.Boolean(),
    default: false,
    meaning:
      'connections of the MQTT listener from a proxy of server.trusted-proxies begin with a header of PROXY protocol version 2, before TLS, which names the address of the client',
  }),
  row({
    name: 'mqttExtraTopics',
    key: 'mqtt.extra-topics',
    env: 'MQTT_EXTRA_TOPICS',
    schema: Type.Array(Text({ minLength: 1 })),
    default: [],
    defaultText: 'none',
    separator: ',',
    meaning:
      'topic filters open to every client in addition to the topics of the broker, for telemetry; the variable is a comma-separated list',
    rule: extraTopicsProblem,
    agreed: true,
  }),
  row({
    name: 'mqttQos',
    key: 'mqtt.qos',
    env: 'MQTT_QOS',
    schema: Type.Unsafe<0 | 1 | 2>(integer(0, 2)),
    default: 1,
    meaning: 'quality of service of the commands and statuses that the broker publishes',
    agreed: true,
  }),
] as const
