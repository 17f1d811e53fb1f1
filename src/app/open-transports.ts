/** Starts the transports and connects them to the broker. */
import type { Cluster } from '../broker/contract/cluster.ts'
import type { Log } from '../process/log.ts'
import { CommandHandler } from '../transport/command-handler.ts'
import { ConnectionRegistry } from '../transport/connections.ts'
import { Logins } from '../transport/logins.ts'
import { SharedConnections } from '../transport/shared-connections.ts'
import type { Transport, TransportContext } from '../transport/transport.ts'
import { errors } from '../wire/errors.ts'
import { toProblem } from '../wire/messages.ts'
import type { CloseStack } from './close-stack.ts'
import { type Dispatch, notifyProducers, openDispatch } from './dispatch.ts'
import type { Domain } from './domain.ts'
import { followPendingDevices } from './pending-devices.ts'
import { repeatedResults } from './repeated-results.ts'

/** Maximum time during shutdown for messages that clients have sent, in milliseconds. */
const GRACE_MS = 5_000

export interface OpenTransports {
  readonly transports: readonly Transport[]
  readonly connections: ConnectionRegistry
  readonly dispatch: Dispatch
}

/** Starts the transports. @throws {StartError} for an unusable address */
export async function openTransports(
  domain: Domain,
  transports: readonly Transport[],
  { settings, log }: Pick<TransportContext, 'settings'> & { readonly log: Log },
  closing: CloseStack,
): Promise<OpenTransports> {
  const { broker, storage, clock, accounts, access, held, canActFor, devicesOf } = domain
  const { presence, rejections, waitLimit, nodeTokens, traffic, duties } = domain
  const pending = followPendingDevices(storage.messages)
  const dispatch = openDispatch({
    broker,
    clock,
    messages: storage.messages,
    transports,
    presence,
    waitLimit,
    settings,
    log,
  })
  const explain = (error: unknown) => toProblem(error, errors)
  const notifyAgain = repeatedResults(broker, storage.messageLog, transports)
  const commands = new CommandHandler({
    broker,
    canActFor,
    notifyAgain,
    explain,
    log,
    payloadLimit: settings.bodyLimit,
  })
  const logins = new Logins({ accounts, access, permitAll: settings.permitAll, rejections })
  const { nodes: shared = null } = storage
  const connections = new ConnectionRegistry({
    held,
    sightings: presence.sightings,
    shared: shared && new SharedConnections({ cluster: shared.cluster, directory: shared.connections, log }),
  })
  const { attach, detach } = dispatch
  const rights = { canActFor, devicesOf }
  const wantsDetails = (deviceId: string) => broker.deviceSettings.of(deviceId).details === true

  // Closed in reverse order: dispatch stops before the connections, and producers are notified until the last
  // connection ends.
  closing.add(notifyProducers(broker, transports))
  closing.add(() => pending.close())
  closing.add(() => Promise.all(transports.map((transport) => transport.stop(GRACE_MS))))
  closing.add(() => connections.close())
  closing.add(() => held.close())
  closing.add(() => dispatch.close())
  if (shared) closing.add(endOnLapse(shared.cluster, [...transports, dispatch.pollWaits]))
  for (const transport of transports) {
    await transport.start({
      commands,
      logins,
      connections,
      rejections,
      ...rights,
      access,
      held,
      traffic,
      shared: shared && { ...shared, proofs: nodeTokens },
      pending,
      duties,
      wantsDetails,
      attach,
      detach,
    })
  }
  return { transports, connections, dispatch }
}

/**
 * Ends all connections when the lease of this node has lapsed, because other nodes may then dispatch to the devices.
 * Returns a function that unsubscribes.
 */
function endOnLapse(cluster: Cluster, connections: readonly { disconnectAll(): void }[]): () => void {
  return cluster.onLapse(() => {
    for (const each of connections) each.disconnectAll()
  })
}
