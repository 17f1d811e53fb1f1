/** Builds examples that connect a device. They run unchanged after PASSWORD is replaced. */
import { shellQuote } from './curl.ts'

export interface ServerAddresses {
  /** URL for REST, `https://HOST:PORT`. */
  readonly url: string
  /** Address for MQTT; null if MQTT is off. */
  readonly mqtt: { readonly host: string; readonly port: number; readonly tls: boolean } | null
}

export type SnippetName = 'curl' | 'mosquitto' | 'Python' | 'ESP32'

/** Builders of the snippets. A builder returns null if it needs MQTT and MQTT is off. */
export const SNIPPETS: Readonly<
  Record<SnippetName, (id: string, addresses: ServerAddresses) => string | null>
> = {
  curl,
  mosquitto: (id, { mqtt }) => mqtt && mosquitto(id, mqtt),
  Python: (id, { mqtt }) => mqtt && python(id, mqtt),
  ESP32: (id, { mqtt }) => mqtt && esp32(id, mqtt),
}

/** Inserts the password into an example. Characters that a language must escape are left to the reader. */
export function withPassword(example: string, password: string | null): string {
  return password !== null && /^[A-Za-z0-9]+$/.test(password)
    ? example.replaceAll('PASSWORD', password)
    : example
}

type Mqtt = NonNullable<ServerAddresses['mqtt']>

/** Returns whether a device id can be one level of a topic (MQTT 5 section 4.7.1). */
export function isTopicLevel(id: string): boolean {
  return !/[/+#]/.test(id)
}

/** Formats a text as a literal of Python or C++. Both languages read the escapes of JSON. */
const literal = (text: string): string => JSON.stringify(text)

function curl(id: string, { url }: ServerAddresses): string {
  const path = encodeURIComponent(id).replaceAll("'", '%27')
  const login = JSON.stringify({ deviseId: id, password: 'PASSWORD' })
  return `BASE=${url}
JSON='Content-Type: application/json'
TOKEN=$(curl -s $BASE/auth/login -H "$JSON" -d ${shellQuote(login)} |
  sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')

# Get the oldest pending command; [] if there is none.
curl -s $BASE/consumer/getLastMessage/${path} -H "Authorization: Bearer $TOKEN"

# Acknowledge it: replace 1 by the id of the command.
curl -s $BASE/consumer/request/${path} -H "Authorization: Bearer $TOKEN" -H "$JSON" \\
  -d '{"id":1,"deliveryStatus":"COMPLETED"}'
`
}

function mosquitto(id: string, { host, port, tls }: Mqtt): string {
  const login = `-h ${host} -p ${port} ${tls ? '--cafile ca.pem ' : ''}-u ${shellQuote(id)} -P 'PASSWORD' -q 1`
  return `# Receive commands.
mosquitto_sub ${login} \\
  -t ${shellQuote(`consumer/request/${id}`)}

# Acknowledge one: replace 1 by the id of the command.
mosquitto_pub ${login} \\
  -t ${shellQuote(`consumer/response/${id}`)} -m '{"id":1,"deliveryStatus":"COMPLETED"}'
`
}

function python(id: string, { host, port, tls }: Mqtt): string {
  return `import json

import paho.mqtt.client as mqtt  # pip install paho-mqtt

DEVICE = ${literal(id)}


def on_connect(client, userdata, flags, reason_code, properties):
    client.subscribe(f"consumer/request/{DEVICE}", qos=1)


def on_message(client, userdata, message):
    command = json.loads(message.payload)
    print(command["id"], command["command"], command["data"])
    done = {"id": command["id"], "deliveryStatus": "COMPLETED"}
    client.publish(f"consumer/response/{DEVICE}", json.dumps(done), qos=1)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.username_pw_set(DEVICE, "PASSWORD")
client.on_connect = on_connect
client.on_message = on_message
${tls ? 'client.tls_set("ca.pem")\n' : ''}client.connect(${literal(host)}, ${port})
client.loop_forever()
`
}

function esp32(id: string, { host, port, tls }: Mqtt): string {
  const network = tls ? 'WiFiClientSecure' : 'WiFiClient'
  return `#include <${network}.h>
#include <WiFi.h>
#include <PubSubClient.h>  // by Nick O'Leary
#include <ArduinoJson.h>   // by Benoit Blanchon, 7

const char* DEVICE = ${literal(id)};
const char* COMMANDS = ${literal(`consumer/request/${id}`)};
const char* RESULTS = ${literal(`consumer/response/${id}`)};

${network} network;
PubSubClient mqtt(network);

void onCommand(char* topic, byte* payload, unsigned int length) {
  JsonDocument command, result;
  deserializeJson(command, payload, length);
  Serial.println(command["command"].as<const char*>());
  result["id"] = command["id"];
  result["deliveryStatus"] = "COMPLETED";
  String text;
  serializeJson(result, text);
  mqtt.publish(RESULTS, text.c_str());
}

void setup() {
  Serial.begin(115200);
  WiFi.begin("NETWORK", "ITS PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(200);
${tls ? '  network.setCACert(CA_PEM);  // the text of ca.pem\n' : ''}  mqtt.setServer(${literal(host)}, ${port});
  mqtt.setBufferSize(2048);
  mqtt.setCallback(onCommand);
}

void loop() {
  if (!mqtt.connected()) {
    if (mqtt.connect(DEVICE, DEVICE, "PASSWORD")) mqtt.subscribe(COMMANDS, 1);
    else delay(2000);
  }
  mqtt.loop();
}
`
}
