/** How a device gets its commands, ready to run: its id filled in, its password left to be. */

/** Addresses by which devices reach the server. */
export interface ServerAddresses {
  /** `https://HOST:PORT` */
  readonly url: string
  readonly mqtt: { readonly host: string; readonly port: number; readonly tls: boolean } | null
}

export type SnippetName = 'curl' | 'mosquitto' | 'Python' | 'ESP32'

export const SNIPPETS: Readonly<
  Record<SnippetName, (id: string, addresses: ServerAddresses) => string | null>
> = {
  curl,
  mosquitto: (id, { mqtt }) => mqtt && mosquitto(id, mqtt),
  Python: (id, { mqtt }) => mqtt && python(id, mqtt),
  ESP32: (id, { mqtt }) => mqtt && esp32(id, mqtt),
}

type Mqtt = NonNullable<ServerAddresses['mqtt']>

/** A device id is one level of a topic (MQTT 5 section 4.7.1). */
export function isTopicLevel(id: string): boolean {
  return !/[/+#]/.test(id)
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** For Python and C++: both read JSON's escapes. */
const literal = (text: string): string => JSON.stringify(text)

function curl(id: string, { url }: ServerAddresses): string {
  const path = encodeURIComponent(id).replaceAll("'", '%27')
  const login = JSON.stringify({ deviseId: id, password: 'PASSWORD' })
  return `BASE=${url}
JSON='Content-Type: application/json'
TOKEN=$(curl -s $BASE/auth/login -H "$JSON" -d ${quoted(login)} |
  sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')

# The oldest command that waits for it; [] when there is none.
curl -s $BASE/consumer/getLastMessage/${path} -H "Authorization: Bearer $TOKEN"

# What became of it: put in the id that came with it.
curl -s $BASE/consumer/request/${path} -H "Authorization: Bearer $TOKEN" -H "$JSON" \\
  -d '{"id":1,"deliveryStatus":"COMPLETED"}'
`
}

function mosquitto(id: string, { host, port, tls }: Mqtt): string {
  const login = `-h ${host} -p ${port} ${tls ? '--cafile ca.pem ' : ''}-u ${quoted(id)} -P 'PASSWORD' -q 1`
  return `# Commands, as they come.
mosquitto_sub ${login} \\
  -t ${quoted(`consumer/request/${id}`)}

# What became of one: put in the id that came with it.
mosquitto_pub ${login} \\
  -t ${quoted(`consumer/response/${id}`)} -m '{"id":1,"deliveryStatus":"COMPLETED"}'
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
