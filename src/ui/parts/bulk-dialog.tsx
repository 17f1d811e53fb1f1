/** Shows an action on many messages: the question with its count, the progress, and the report. */
import { useEffect, useState } from 'preact/hooks'
import { type BulkReport, bulkReport, bulkRequest, showBulk } from '../state/bulk.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { BulkProgress, BulkResult, useBulkSummary } from './bulk-parts.tsx'
import { BulkQuestion } from './bulk-question.tsx'
import { Dialog } from './dialog.tsx'

/**
 * Shows the dialog of {@link askBulk} over every screen. Closing the dialog does not stop the job, which ends with a
 * notice.
 */
export function BulkDialog() {
  const t = useTexts('bulk')
  const summaryOf = useBulkSummary()
  const [wasRunning, setRunning] = useState(false)
  const request = bulkRequest.value
  const report = bulkReport.value
  const isRunning = report?.state === 'RUNNING'
  useEffect(() => {
    if (wasRunning && !isRunning && request === null && report) notify(report)
    setRunning(isRunning)
  }, [isRunning])

  function notify(ended: BulkReport): void {
    const isGood = ended.state === 'DONE' && ended.failed === 0
    showToast({
      text: summaryOf(ended),
      tone: isGood ? 'good' : 'bad',
      action: { label: t.report, run: showBulk },
    })
  }

  const close = (): void => {
    bulkRequest.value = null
  }
  if (request === null) return isRunning && report ? <RunningPill report={report} /> : null
  const titles = { CANCEL: t.cancelTitle, REPLAY: t.replayTitle, RESEND: t.resendTitle }
  return (
    <Dialog title={titles[request.action]} onClose={close}>
      <div class="bulk">
        {report === null && <BulkQuestion request={request} onClose={close} />}
        {report && isRunning && <BulkProgress report={report} onClose={close} />}
        {report && !isRunning && <BulkResult request={request} report={report} onClose={close} />}
      </div>
    </Dialog>
  )
}

function RunningPill({ report: { done, matched } }: { report: BulkReport }) {
  const t = useTexts('bulk')
  return (
    <button type="button" class="bulk-pill" onClick={showBulk} title={t.show}>
      <progress max={Math.max(matched, 1)} value={done} aria-hidden="true" />
      {t.progress({ done, matched })}
    </button>
  )
}
