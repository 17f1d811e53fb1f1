/** Applies acknowledgements and their reports in the memory driver. */
import type { Acknowledgement, Outcome } from '../../broker/contract/store.ts'
import { withLateReport } from '../../broker/engine/report.ts'
import { ACK_TRANSITIONS } from '../../broker/vocabulary/status.ts'
import type { MemoryData } from './memory-data.ts'

export function acknowledge(data: MemoryData, acknowledgement: Acknowledgement): Outcome | null {
  const { deviceId, messageId, status, by, report } = acknowledgement
  const message = data.messages.get(messageId)
  if (message?.content.deviceId !== deviceId) return null
  const transition = data.apply(message, ACK_TRANSITIONS[status], { by, report })
  if (!transition) {
    const late = withLateReport(message.report, acknowledgement, message.status, data.clock.wallMs())
    message.report = late ?? message.report
  }
  return { status: message.status, transition }
}
