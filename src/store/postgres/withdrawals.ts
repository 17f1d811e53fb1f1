/** Cancels and replays messages. */
import type { AuditEntry } from '../../audit/audit.ts'
import type {
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  QueueLimits,
  Replay,
  ReplayedMessages,
  ReplayFilter,
} from '../../broker/store.ts'
import { CancelVerbs } from './cancel-verbs.ts'
import type { PostgresParts } from './parts.ts'
import { ReplayVerbs } from './replay-verbs.ts'

export class Withdrawals {
  readonly #cancellations: CancelVerbs
  readonly #replays: ReplayVerbs

  constructor(parts: PostgresParts) {
    this.#cancellations = new CancelVerbs(parts)
    this.#replays = new ReplayVerbs(parts)
  }

  cancel(
    messageId: number,
    by: string | null,
    force: boolean,
    audit: AuditEntry | null,
  ): Promise<CancelOutcome | null> {
    return this.#cancellations.cancel(messageId, by, force, audit)
  }

  cancelAll(
    deviceId: string,
    filter: CancelFilter,
    limit: number,
    audit: AuditEntry | null,
  ): Promise<CancelledMessages> {
    return this.#cancellations.cancelAll(deviceId, filter, limit, audit)
  }

  replay(
    messageId: number,
    by: string | null,
    limits: QueueLimits,
    audit: AuditEntry | null,
  ): Promise<Replay | null> {
    return this.#replays.replay(messageId, by, limits, audit)
  }

  replayAll(
    filter: ReplayFilter,
    by: string | null,
    limitsOf: (deviceId: string) => QueueLimits,
    limit: number,
    audit: AuditEntry | null,
  ): Promise<ReplayedMessages> {
    return this.#replays.replayAll(filter, by, limitsOf, limit, audit)
  }
}
