/** Each operation of the API description that changes something leaves one line in the audit trail; a refused one leaves none. */
import { beforeAll, describe, expect, test } from 'vitest'
import { prefixPaths } from '../../src/app/site.ts'
import { describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { addedLines, auditLines } from '../_support/audit.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { type Described, operationsOf } from '../_support/described.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'
import { call, tokenOf } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'
const TEMPLATES = '/admin/api/saved-messages'

let broker: BrokerUnderTest
let deviceToken: string

/** An operation that the trail has: its action, and what a call needs. */
interface Case {
  readonly action: string
  /** Makes what the call acts on. @returns the last argument of the path, and the object of the line if it is another */
  readonly prepare?: () => Promise<Target>
  readonly body?: object
  /** True adds the target to the body, as `ids`. */
  readonly hasIds?: boolean
  readonly object?: string | null
}

interface Target {
  /** First argument of a path that has two. */
  readonly owner?: number | string
  readonly argument: string | number
  readonly object?: string
}

/** Id of the first client of the data directory. */
const LAMP = 1

let count = 0
const newName = () => `audited-${++count}`
const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id

async function newClient(): Promise<Target> {
  const deviseId = newName()
  const made = await broker.rest.post(CLIENTS, { deviseId, password: PASSWORD })
  return { argument: idOf(made), object: deviseId }
}

async function newKey(): Promise<Target> {
  const { argument: owner, object } = (await newClient()) as Target & { argument: number }
  return { owner, argument: idOf(await broker.rest.post(`${CLIENTS}/${owner}/keys`, {})), object }
}

async function newTemplate(): Promise<Target> {
  const { argument: clientId } = await newClient()
  return { argument: idOf(await broker.rest.post(TEMPLATES, { clientId, command: 'go' })) }
}

async function newOpenTemplate(): Promise<Target> {
  return { argument: idOf(await broker.rest.post(TEMPLATES, { clientId: null, command: 'go' })) }
}

const newMessage = async (): Promise<Target> => ({
  argument: await broker.send(newName(), { command: 'go' }),
})
const parked = async (): Promise<Target> => ({ argument: await sendAndPark(broker, newName()) })
async function queue(): Promise<Target> {
  const name = newName()
  await broker.send(name, { command: 'go' })
  return { argument: name }
}
async function ended(): Promise<Target> {
  const target = await newMessage()
  await broker.rest.post(`/admin/api/messages/${target.argument}/cancel`, {})
  return target
}
async function alert(): Promise<Target> {
  const name = newName()
  await sendAndPark(broker, name)
  return { argument: `PARKED:${name}` }
}
/** Parks a message with a command of its own, and waits for its incident. */
async function incident(): Promise<Target> {
  const { length } = await incidents()
  await sendAndPark(broker, newName(), { command: newName() })
  return eventually(async () => {
    const found = await incidents()
    expect(found.length).toBeGreaterThan(length)
    return { argument: Math.max(...found.map(({ id }) => id)) }
  })
}
async function incidents(): Promise<readonly { id: number }[]> {
  const { body } = await broker.rest.get('/admin/api/incidents')
  return (body as { items: { id: number }[] }).items
}
async function acknowledged(): Promise<Target> {
  const target = await alert()
  await broker.rest.put(`/admin/api/alerts/${target.argument}/acknowledgement`, {})
  return target
}
async function connection(): Promise<Target> {
  await MqttPeer.connect({ port: broker.mqttPort, username: 'lamp', password: PASSWORD })
  const { body } = await broker.rest.get('/admin/api/connections?deviseId=lamp')
  return { argument: (body as { id: number }[]).at(-1)?.id as number }
}

async function outOfService(): Promise<Target> {
  const name = newName()
  await broker.rest.put(`/admin/api/devices/${name}/service`, { reason: 'repair' })
  return { argument: name }
}
async function note(): Promise<Target> {
  const owner = newName()
  const added = await broker.rest.post(`/admin/api/devices/${owner}/notes`, { text: 'a' })
  return { owner, argument: idOf(added), object: owner }
}

/** The operations that the trail has, by their operationId. */
const AUDITED: Readonly<Record<string, Case>> = {
  createClient: { action: 'client.create', body: { deviseId: 'made', password: PASSWORD }, object: 'made' },
  updateClient: { action: 'client.change', prepare: newClient, body: { description: 'new' } },
  deleteClient: { action: 'client.remove', prepare: newClient },
  createClientKey: { action: 'key.create', prepare: newClient, body: {} },
  deleteClientKey: { action: 'key.remove', prepare: newKey },
  importClients: { action: 'client.import' },
  acknowledgeAlert: { action: 'alert.acknowledge', prepare: alert, body: { note: 'seen' } },
  reopenAlert: { action: 'alert.reopen', prepare: acknowledged },
  acknowledgeIncidents: { action: 'incident.acknowledge', prepare: incident, body: {}, hasIds: true },
  muteIncidents: {
    action: 'incident.mute',
    prepare: incident,
    body: { untilDate: Date.now() + 3_600_000 },
    hasIds: true,
  },
  reopenIncidents: { action: 'incident.reopen', prepare: incident, body: {}, hasIds: true },
  resolveIncidents: { action: 'incident.resolve', prepare: incident, body: { note: 'done' }, hasIds: true },
  addIncidentNote: { action: 'incident.note', prepare: incident, body: { text: 'seen' } },
  replaceIncidentRules: { action: 'incident.rules', body: { rules: [] }, object: null },
  endConnection: { action: 'connection.end', prepare: connection },
  replaceSettingsOfDeviceWithIdService: {
    action: 'device.settings',
    body: { maxAttempts: 3 },
    object: 'service',
  },
  replaceDeviceSettings: { action: 'device.settings', prepare: queue, body: { maxAttempts: 3 } },
  takeDeviceOutOfService: { action: 'device.service', prepare: queue, body: { reason: 'repair' } },
  returnDeviceToService: { action: 'device.service', prepare: outOfService },
  changeServiceOfDevices: {
    action: 'device.service',
    body: { devices: ['lamp'], reason: 'repair' },
    object: 'lamp',
  },
  addDeviceNote: { action: 'device.note', prepare: queue, body: { text: 'a' } },
  removeDeviceNote: { action: 'device.note', prepare: note },
  cancelDeviceMessages: { action: 'message.cancel', prepare: queue, body: {} },
  cancelMessage: { action: 'message.cancel', prepare: newMessage, body: {} },
  replayMessage: { action: 'message.replay', prepare: parked, body: {} },
  replayMessages: { action: 'message.replay', prepare: parked, body: {}, object: null },
  resendMessage: { action: 'message.resend', prepare: ended, body: {} },
  changeMessages: { action: 'message.bulk', body: { action: 'CANCEL', ids: [1] } },
  createTemplate: { action: 'template.create', body: { clientId: LAMP, command: 'go' } },
  replaceTemplate: {
    action: 'template.change',
    prepare: newTemplate,
    body: { clientId: LAMP, command: 'go' },
  },
  sendToDevices: { action: 'message.send', body: { deviceIds: ['lamp'], command: 'go' }, object: null },
  sendTemplateToDevices: {
    action: 'template.send',
    prepare: newOpenTemplate,
    body: { deviceIds: ['lamp'] },
  },
  deleteTemplate: { action: 'template.remove', prepare: newTemplate },
  sendTemplate: { action: 'template.send', prepare: newTemplate, body: {} },
  downloadBackup: { action: 'backup.download' },
  cancelOwnMessage: { action: 'message.cancel', prepare: newMessage, body: {} },
  cancelOwnMessages: { action: 'message.cancel', prepare: queue, body: {} },
  replayOwnMessage: { action: 'message.replay', prepare: parked, body: {} },
}

/**
 * Operations with another method than GET that the trail does not have: logins, submits and acknowledgements. The line of an
 * action on many messages says that it was stopped.
 */
const NOT_AUDITED = [
  ...['login', 'checkCredentials', 'checkQueueAccess', 'sendCommand', 'acknowledgeMessage'],
  'stopBulk',
]

const operations = operationsOf(
  describeSite(await readSite(prefixPaths(['@broker'])), { title: '', version: '' }),
)
const idOfOperation = ({ operation }: Described) => operation.operationId as string
const changes = operations.filter((each) => each.method !== 'GET' || idOfOperation(each) in AUDITED)

beforeAll(async () => {
  const dataDir = await withClients('lamp')
  broker = await BrokerUnderTest.start({
    dataDir,
    mqtt: true,
    env: SHORT_ATTEMPTS,
    replaced: { recordingMs: 5 },
  })
  deviceToken = await tokenOf(broker.server.url, 'lamp', PASSWORD)
})

/** Calls an operation. The last argument of its path is the target. */
function send({ method, path }: Described, target: Target | null, body: object | undefined, token?: string) {
  const values = [target?.owner, target?.argument].filter((each) => each !== undefined)
  const filled = path.replace(/\{[^}]+\}/g, () => encodeURIComponent(String(values.shift() ?? '1')))
  if (!filled.endsWith('/import')) {
    const { url } = broker.server
    return method === 'GET' ? fetchBackup(filled, token) : call(url, method, filled, body, token)
  }
  const form = new FormData()
  form.append('file', new Blob([`deviseId,password\n${newName()},sesame\n,sesame\n,\n`]), 'clients.csv')
  const headers = { authorization: `Bearer ${token}` }
  return fetch(broker.server.url + filled, { method, headers, body: form })
}

async function fetchBackup(path: string, token?: string): Promise<{ status: number }> {
  const headers = { authorization: `Bearer ${token}` }
  const { status, body } = await fetch(broker.server.url + path, { headers })
  await body?.cancel()
  return { status }
}

describe(`adapter ${ADAPTER}`, () => {
  test('audit: operations of the description that change something → each is in a table of this test', () => {
    const named = changes.map(idOfOperation)
    expect([...new Set(named)].sort()).toEqual([...new Set([...Object.keys(AUDITED), ...NOT_AUDITED])].sort())
  })

  describe.each(changes.filter((each) => idOfOperation(each) in AUDITED))('$method $path', (described) => {
    const { action, prepare, body, hasIds, object } = AUDITED[idOfOperation(described)] as Case

    test(`audit: done → one line ${action}`, async () => {
      const target = prepare ? await prepare() : null
      const lines = await addedLines(broker, async () => {
        const content = hasIds ? { ...body, ids: [target?.argument] } : body
        expect((await send(described, target, content, broker.token)).status).toBeLessThan(300)
      })
      const name = object === undefined ? (target?.object ?? target?.argument) : object
      expect(lines).toEqual([
        expect.objectContaining({
          ...{ action, deviseId: 'admin', keyId: null, address: '127.0.0.1' },
          ...(name !== undefined && { object: name === null ? null : String(name) }),
        }),
      ])
    })

    test('audit: refused → no line', async () => {
      const lines = await addedLines(broker, async () => {
        const target = { argument: 999_999_999 }
        if (described.path.startsWith('/admin/')) {
          expect((await send(described, target, body, deviceToken)).status).toBe(403)
        }
        expect((await send(described, target, body, 'no token')).status).toBe(401)
        if (!prepare && !body) return
        const bad = await send(
          described,
          target,
          body && { command: 7, maxAttempts: 'x', limit: 'x', rules: 'x' },
          broker.token,
        )
        expect(bad.status).toBeGreaterThanOrEqual(400)
      })
      expect(lines).toEqual([])
    })
  })

  test('audit: an import → one line, which has the counts when it is done', async () => {
    const described = changes.find((each) => idOfOperation(each) === 'importClients') as Described
    const [line, ...others] = await addedLines(broker, () => send(described, null, undefined, broker.token))
    expect(others).toEqual([])
    await eventually(async () => {
      const lines = await auditLines(broker)
      expect(lines.filter(({ id }) => id >= (line?.id as number)).map(({ detail }) => detail)).toEqual([
        { state: 'DONE', lines: 2, created: 1, changed: 0, unchanged: 0, refused: 1 },
      ])
    })
  })
})
