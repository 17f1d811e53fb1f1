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
import type { PostgresParts } from './parts.ts'

export class Withdrawals {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  cancel(
    _messageId: number,
    _by: string | null,
    _force: boolean,
    _audit: AuditEntry | null,
  ): Promise<CancelOutcome | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  cancelAll(_deviceId: string, _filter: CancelFilter, _audit: AuditEntry | null): Promise<CancelledMessages> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  replay(
    _messageId: number,
    _by: string | null,
    _limits: QueueLimits,
    _audit: AuditEntry | null,
  ): Promise<Replay | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  replayAll(
    _filter: ReplayFilter,
    _by: string | null,
    _limitsOf: (deviceId: string) => QueueLimits,
    _limit: number,
    _audit: AuditEntry | null,
  ): Promise<ReplayedMessages> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
