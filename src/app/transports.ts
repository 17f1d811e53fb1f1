/** Lists the transports. A new transport is a line here and a row with its address in the table of settings. */
import { MQTT } from '../mqtt/transport.ts'
import type { Transport, TransportContext, TransportKind } from '../transport/transport.ts'

export const TRANSPORTS: readonly TransportKind[] = [MQTT]

/** Creates the enabled transports. They open nothing before their start. */
export function createTransports(context: TransportContext): Transport[] {
  return TRANSPORTS.map((kind) => kind.create(context)).filter((each) => each !== null)
}
