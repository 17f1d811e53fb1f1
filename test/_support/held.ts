/** Access that never ends, for tests of what else ends a wait or a stream. */
import type { Held, HoldAccess } from '../../src/auth/held.ts'

export const HELD: Held = { holds: () => true, release() {} }

export const hold: HoldAccess = () => HELD
