/** Asks before an action on many messages: how many it changes, and how many it skips, with the reasons. */

import { useState } from 'preact/hooks'
import { type BulkPlan, type BulkRequest, planBulk, startBulk } from '../state/bulk.ts'
import { useResource } from '../state/resource.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { useArmed } from './action.ts'
import { SkippedList } from './bulk-parts.tsx'
import { numberFormat } from './formats.ts'
import { Problem } from './problem.tsx'
import { useProblemText } from './problem-text.ts'

interface BulkQuestionProps {
  readonly request: BulkRequest
  readonly onClose: () => void
}

export function BulkQuestion({ request, onClose }: BulkQuestionProps) {
  const t = useTexts('bulk')
  const [force, setForce] = useState(false)
  const plan = useResource(`plan/${force}`, () => planBulk(request, force))
  const skipped = plan.value?.skipped.some(({ code }) => code === 'handed-over') ?? false
  return (
    <>
      {plan.error && <Problem error={plan.error} onRetry={plan.reload} />}
      <div role="status" class="bulk-plan">
        {plan.value ? <Plan request={request} plan={plan.value} /> : <p>{t.counting}</p>}
      </div>
      {request.action === 'CANCEL' && (skipped || force) && (
        <label class="check">
          <input
            type="checkbox"
            checked={force}
            onChange={({ currentTarget }) => setForce(currentTarget.checked)}
          />
          {t.force}
        </label>
      )}
      <Buttons request={request} plan={plan.value} force={force} onClose={onClose} />
    </>
  )
}

function Plan({ request: { action }, plan }: { request: BulkRequest; plan: BulkPlan }) {
  const t = useTexts('bulk')
  const numbers = numberFormat(useLocale())
  const { matched, eligible, isExact, handedOver, skipped } = plan
  const questions = { CANCEL: t.cancelQuestion, REPLAY: t.replayQuestion, RESEND: t.resendQuestion }
  const all = numbers.format(matched)
  const values = {
    eligible: numbers.format(eligible),
    matched: isExact ? all : t.atLeast({ count: all }),
  }
  return (
    <>
      <p class="bulk-count">
        <strong>{questions[action](values)}</strong>
      </p>
      {eligible === 0 && <p>{t.none}</p>}
      {handedOver > 0 && <p class="warning">{t.handedOver(handedOver)}</p>}
      {!isExact && <p>{t.limit}</p>}
      <SkippedList skipped={skipped} />
    </>
  )
}

interface ButtonsProps extends BulkQuestionProps {
  readonly plan: BulkPlan | undefined
  readonly force: boolean
}

function Buttons({ request, plan, force, onClose }: ButtonsProps) {
  const t = useTexts('bulk')
  const common = useTexts('common')
  const textOf = useProblemText()
  const isArmed = useArmed()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const labels = { CANCEL: t.cancel, REPLAY: t.replay, RESEND: t.resend }

  async function start(): Promise<void> {
    if (!isArmed || isBusy || !plan) return
    setBusy(true)
    setProblem(null)
    try {
      await startBulk(request, plan, force)
    } catch (error) {
      setProblem(textOf(error))
      setBusy(false)
    }
  }

  return (
    <>
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="quiet" data-safe onClick={onClose}>
          {request.action === 'CANCEL' ? t.keep : common.close}
        </button>
        <button
          type="button"
          class={request.action === 'CANCEL' ? 'danger' : ''}
          aria-disabled={!isArmed}
          aria-busy={isBusy}
          disabled={isBusy || !plan || plan.eligible === 0}
          onClick={start}
        >
          {labels[request.action](plan?.eligible ?? 0)}
        </button>
      </div>
    </>
  )
}
