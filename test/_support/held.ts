/** Access that never ends, for tests of other reasons that end a wait or a stream. */
import type { Held, HoldAccess } from '../../src/auth/held.ts'

export const HELD: Held = { holds: () => true, release() {} }

export const hold: HoldAccess = () => HELD
