/** Grants leases of devices to this node, and stores the pauses of devices. */
import type { DeviceLease, LineState } from '../../../broker/contract/device-lease.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'
import { ClaimVerbs } from './claims.ts'
import type { UnsentMessages } from './unsent-messages.ts'

interface LineCall {
  readonly kind: 'attach' | 'release' | 'busy'
  readonly device_id: string
  readonly fence?: number
  readonly for_ms?: number
}

/** Members depend on the kind of the call. */
interface LineResult {
  readonly fence?: number
  readonly state?: LineState
  readonly ended?: EndedRow | null
  readonly seq?: number
}

/**
 * Marks the open attempt of the message in flight. Takes no lock of the line, because the reason may come late anyway.
 */
const REFUSE_ANSWER = `UPDATE pending q SET attempt_refused = $2 FROM device_lines l
  WHERE l.device_id = $1 AND q.device_id = l.device_id AND NOT q.delayed AND q.id = l.in_flight_id AND q.attempt_until_ms IS NOT NULL
  RETURNING q.id`

export class DispatchVerbs {
  readonly #parts: PostgresParts
  readonly #ends: AttemptEnds
  readonly #claims: ClaimVerbs
  readonly #changeLines: (call: LineCall) => Promise<LineResult>

  constructor(parts: PostgresParts, unsent: UnsentMessages) {
    this.#parts = parts
    this.#ends = new AttemptEnds(parts)
    this.#claims = new ClaimVerbs(parts, unsent)
    this.#changeLines = parts.verbs.write<LineCall, LineResult>({
      name: 'change_lines',
      keysOf: ({ device_id }) => ({ alone: [device_id], shared: [] }),
      // A late lease has no holder; the next attach begins another one.
      onLate: (call, result) => {
        if (call.kind === 'busy') this.#paused(call, result)
      },
    })
  }

  async attach(deviceId: string, transport: string): Promise<DeviceLease> {
    const device_id = encodeText(deviceId)
    const { fence = 0, state } = await this.#changeLines({ kind: 'attach', device_id })
    const key = { deviceId, transport, fence }
    return {
      state: state ?? { sinceDispatchMs: null, attempt: null, unfinished: [] },
      claim: (ended, rules) => this.#claims.claim(key, ended, rules),
      release: async () => {
        await this.#changeLines({ kind: 'release', device_id, fence })
      },
    }
  }

  async setBusy(deviceId: string, forMs: number): Promise<void> {
    const call = { kind: 'busy', device_id: encodeText(deviceId), for_ms: forMs } as const
    this.#paused(call, await this.#changeLines(call))
  }

  #paused({ device_id, for_ms = 0 }: LineCall, { ended, seq = 0 }: LineResult): void {
    this.#ends.ended(ended ?? null, 'BUSY')
    this.#parts.events.paused(decodeText(device_id), for_ms, seq)
  }

  async refuseAnswer(deviceId: string, reason: string): Promise<number | null> {
    const [row] = await this.#parts.reads.run<{ id: number }>(REFUSE_ANSWER, [
      encodeText(deviceId),
      encodeText(reason),
    ])
    return row?.id ?? null
  }

  async busyDevices(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#parts.reads.run<{ id: string; rest: number }>(
      `SELECT l.device_id AS id, least(l.busy_until_ms - t.now, l.busy_ms) AS rest FROM (SELECT now_ms() AS now OFFSET 0) t
       CROSS JOIN LATERAL (SELECT device_id, busy_until_ms, busy_ms FROM device_lines WHERE busy_until_ms > t.now) l`,
    )
    return new Map(rows.map(({ id, rest }) => [decodeText(id), rest]))
  }
}
