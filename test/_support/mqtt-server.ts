/** Runs the MQTT part alone in the process of the test, over a real port and store, with a clock set by the test. */
import { AccessControl } from '../../src/auth/access.ts'
import { Accounts } from '../../src/auth/accounts.ts'
import { ClientList } from '../../src/auth/client-list.ts'
import type { Role } from '../../src/auth/clients.ts'
import { HeldAccess } from '../../src/auth/held-access.ts'
import { hashPassword } from '../../src/auth/password.ts'
import { queueAccess } from '../../src/auth/queue-access.ts'
import { Tokens } from '../../src/auth/token.ts'
import { Broker } from '../../src/broker/engine/broker.ts'
import { RejectionLog } from '../../src/broker/views/rejection-log.ts'
import { Sightings } from '../../src/broker/views/sightings.ts'
import { Acl } from '../../src/mqtt/acl.ts'
import { MqttServer } from '../../src/mqtt/server.ts'
import { ConnectionLimit } from '../../src/net/connection-limit.ts'
import { listenTcp } from '../../src/net/listener.ts'
import { Duties } from '../../src/process/duties.ts'
import { CommandHandler } from '../../src/transport/command-handler.ts'
import { ConnectionRegistry } from '../../src/transport/connections.ts'
import { Logins } from '../../src/transport/logins.ts'
import { NodeTraffic } from '../../src/transport/node-traffic.ts'
import { JWT_SECRET } from './broker.ts'
import { whenDone } from './cleanup.ts'
import { PASSWORD } from './clients.ts'
import { TemporaryStore } from './store.ts'

export const PAYLOAD_LIMIT = 262_144

const silent = { debug() {}, info() {}, warn() {}, error() {} }

export class MqttUnderTest {
  readonly accounts: Accounts
  readonly clients: ClientList
  readonly port: number
  readonly store: TemporaryStore
  readonly clock: { nowMs: number }

  /** Fires the timer of the held access, so that a test with a held clock need not wait. */
  readonly endTimer: () => void

  private constructor(
    parts: Pick<MqttUnderTest, 'accounts' | 'clients' | 'port' | 'store' | 'clock' | 'endTimer'>,
  ) {
    this.accounts = parts.accounts
    this.clients = parts.clients
    this.port = parts.port
    this.store = parts.store
    this.clock = parts.clock
    this.endTimer = parts.endTimer
  }

  /** @param clients by device id, in addition to the admin; their password is {@link PASSWORD} */
  static async start(clients: Readonly<Record<string, Role>>): Promise<MqttUnderTest> {
    const store = new TemporaryStore()
    const clock = { nowMs: Date.now() }
    const passwordHash = await hashPassword(PASSWORD)
    for (const [deviceId, role] of Object.entries({ admin: 'MAN' as const, ...clients })) {
      await store.clients.add({
        deviceId,
        role,
        passwordHash,
        description: '',
        devices: [],
        ownQueueOnly: null,
        changedAtMs: clock.nowMs - 60_000,
      })
    }
    const now = (): number => clock.nowMs
    const tokens = new Tokens(JWT_SECRET, 3_600_000)
    const list = await ClientList.open(store.clients, now)
    const access = new AccessControl({ clients: list, now })
    let timer = (): void => {}
    const after = (_delayMs: number, run: () => void) => {
      timer = run
      return () => {}
    }
    const held = new HeldAccess({ access, log: silent, now, after })
    const accounts = new Accounts({ clients: list, tokens, access, now })
    const broker = new Broker({ messages: store.messages, queueLimit: 100, log: silent })
    const devicesOf = (clientId: string) => list.devicesOf(clientId)
    const canActFor = queueAccess(() => false, devicesOf)
    const rejections = new RejectionLog()
    const logins = new Logins({ accounts, access, permitAll: false, rejections })
    const connections = new ConnectionRegistry({ held, sightings: new Sightings(), shared: null })
    const server = await MqttServer.open({
      name: 'MQTT',
      services: {
        commands: new CommandHandler({
          ...{ broker, canActFor },
          notifyAgain: async () => {},
          explain: () => null,
          log: silent,
          payloadLimit: PAYLOAD_LIMIT,
        }),
        ...{ logins, connections, rejections, access, held, canActFor, devicesOf },
        pending: { list: () => [], onAdded: () => () => {} },
        duties: new Duties(),
        shared: null,
        traffic: new NodeTraffic(),
        wantsDetails: () => false,
        attach() {},
        detach() {},
      },
      acl: new Acl({ canActFor, devicesOf, extraTopics: ['telemetry/#'] }),
      payloadLimit: PAYLOAD_LIMIT,
      qos: 1,
      log: silent,
      certificate: () => null,
    })
    const limit = new ConnectionLimit({ name: 'MQTT', maximum: 1_000, setting: '', log: silent })
    const address = { name: 'MQTT', flag: '--mqtt', host: '127.0.0.1', port: 0, tls: null, limit }
    const listener = await listenTcp(address, (socket, remote) => server.accept(socket, remote))
    whenDone(async () => {
      connections.close()
      held.close()
      const closed = listener.close()
      await server.close(0)
      await closed
    })
    const endTimer = (): void => timer()
    return new MqttUnderTest({ accounts, clients: list, port: listener.port, store, clock, endTimer })
  }

  /** @returns the id of a client */
  id(deviceId: string): number {
    const found = this.clients.byDevice(deviceId)
    if (!found) throw new Error(`there is no client "${deviceId}"`)
    return found.id
  }
}
