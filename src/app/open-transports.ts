/** Starts the transports, and gives them the broker. */
import { CommandHandler } from '../transport/command-handler.ts'
import { Connections } from '../transport/connections.ts'
import { Logins } from '../transport/logins.ts'
import type { Transport, TransportContext } from '../transport/transport.ts'
import type { Log } from '../web/app.ts'
import { errors } from '../wire/errors.ts'
import { problemOf } from '../wire.ts'
import type { CloseStack } from './close-stack.ts'
import { type Dispatch, notifyProducers, openDispatch } from './dispatch.ts'
import type { Domain } from './domain.ts'

/** Time for what clients sent before the stop, in milliseconds. */
const GRACE_MS = 5_000

export interface OpenTransports {
  readonly transports: readonly Transport[]
  readonly connections: Connections
  readonly dispatch: Dispatch
}

/** @throws {StartError} when an address cannot be used */
export async function openTransports(
  domain: Domain,
  transports: readonly Transport[],
  { settings, log }: Pick<TransportContext, 'settings'> & { readonly log: Log },
  closing: CloseStack,
): Promise<OpenTransports> {
  const { broker, storage, accounts, canActFor, presence, rejections, counters } = domain
  const dispatch = openDispatch({
    ...{ broker, messages: storage.messages, transports, presence, counters, settings, log },
  })
  const explain = (error: unknown) => problemOf(error, errors)
  const commands = new CommandHandler({ broker, canActFor, explain, log })
  const logins = new Logins({ accounts, permitAll: settings.permitAll, rejections, log })
  const connections = new Connections(accounts, logins)
  const { attach, detach } = dispatch

  // Dispatch ends before the first connection does. Producers hear of every status until the last one has ended.
  closing.add(notifyProducers(broker, transports))
  closing.add(() => Promise.all(transports.map((transport) => transport.stop(GRACE_MS))))
  closing.add(() => connections.close())
  closing.add(() => dispatch.close())
  for (const transport of transports) {
    await transport.start({ commands, logins, connections, rejections, canActFor, attach, detach })
  }
  return { transports, connections, dispatch }
}
