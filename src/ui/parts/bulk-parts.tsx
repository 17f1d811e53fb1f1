/** Shows the progress and the report of an action on many messages. */
import { type BulkPlan, type BulkReport, type BulkRequest, stopBulk } from '../state/bulk.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'
import { useAction } from './action.ts'
import { useCodeText } from './problem-text.ts'

/** Shows how many messages were skipped for each reason. */
export function SkippedList({ skipped }: Pick<BulkPlan, 'skipped'>) {
  const t = useTexts('bulk')
  const reasons = useTexts('bulkSkips')
  if (skipped.length === 0) return null
  return (
    <section>
      <h3>{t.skippedTitle}</h3>
      <ul class="bulk-skips">
        {skipped.map(({ code, count }) => (
          <li key={code}>{reasons[code](count)}</li>
        ))}
      </ul>
    </section>
  )
}

interface BulkProgressProps {
  readonly report: BulkReport
  readonly onClose: () => void
}

export function BulkProgress({ report, onClose }: BulkProgressProps) {
  const t = useTexts('bulk')
  const { id, done, matched } = report
  const { problem, isBusy, act } = useAction({ run: () => stopBulk(id), onDone: () => {} })
  return (
    <>
      <p role="status">{done === 0 ? t.searching(matched) : t.progress({ done, matched })}</p>
      <progress max={Math.max(matched, 1)} value={done} aria-label={t.progress({ done, matched })} />
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="quiet" data-safe onClick={onClose}>
          {t.hide}
        </button>
        <button type="button" class="danger" aria-busy={isBusy} disabled={isBusy} onClick={act}>
          {t.stop}
        </button>
      </div>
    </>
  )
}

/** Returns a function that summarizes a job in a sentence. */
export function useBulkSummary(): (report: BulkReport) => string {
  const t = useTexts('bulk')
  const changed = { CANCEL: t.cancelled, REPLAY: t.replayed, RESEND: t.resent }
  return ({ action, changed: count, skipped, failed }) => {
    const skips = skipped.reduce((sum, each) => sum + each.count, 0)
    const parts = [changed[action](count), skips > 0 && t.skipped(skips), failed > 0 && t.failed(failed)]
    return parts.filter(Boolean).join(' · ')
  }
}

interface BulkResultProps extends BulkProgressProps {
  readonly request: BulkRequest
}

export function BulkResult({ request: { onSelect }, report, onClose }: BulkResultProps) {
  const t = useTexts('bulk')
  const common = useTexts('common')
  const summaryOf = useBulkSummary()
  const { state, left, skipped, failed, failures } = report
  return (
    <>
      <p role="status" class="bulk-count">
        <strong>{summaryOf(report)}</strong>
      </p>
      {state === 'STOPPED' && <p class="warning">{t.stopped}</p>}
      {left > 0 && <p>{t.left(left)}</p>}
      <SkippedList skipped={skipped} />
      {failed > 0 && (
        <section>
          <h3>{t.failed(failed)}</h3>
          {failed > failures.length && <p>{t.firstFailures}</p>}
          <ul class="bulk-failures">
            {failures.map((each) => (
              <Failure key={each.messageId} failure={each} onOpen={onClose} />
            ))}
          </ul>
        </section>
      )}
      <div class="actions">
        {onSelect && failed > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              onClose()
              onSelect(failures.map(({ messageId }) => messageId))
            }}
          >
            {t.selectFailed}
          </button>
        )}
        <button type="button" data-safe onClick={onClose}>
          {common.close}
        </button>
      </div>
    </>
  )
}

interface FailureProps {
  readonly failure: BulkReport['failures'][number]
  readonly onOpen: () => void
}

function Failure({ failure: { messageId, code, params }, onOpen }: FailureProps) {
  const textOfCode = useCodeText()
  return (
    <li>
      <a href={links.message(messageId)} onClick={onOpen}>
        № {messageId}
      </a>{' '}
      <span class="id">{params.deviseId}</span>
      <span>{textOfCode(code, params as never, code)}</span>
    </li>
  )
}
