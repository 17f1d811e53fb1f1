/** Lists the transports. A further one is a line here, and its address a row in the table of settings. */
import { MQTT } from '../mqtt/transport.ts'
import type { Transport, TransportContext, TransportKind } from '../transport/transport.ts'

export const TRANSPORTS: readonly TransportKind[] = [MQTT]

/** Creates the transports that the settings switch on. They open nothing before their start. */
export function createTransports(context: TransportContext): Transport[] {
  return TRANSPORTS.map((kind) => kind.create(context)).filter((each) => each !== null)
}
