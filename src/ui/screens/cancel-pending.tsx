/** Asks before the pending commands of devices are cancelled, and reports the result. */
import { Confirm } from '../parts/confirm.tsx'
import { cancelQueue, type Device } from '../state/devices.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

interface CancelPendingProps {
  readonly devices: readonly Device[]
  readonly onClose: () => void
}

export function CancelPending({ devices, onClose }: CancelPendingProps) {
  const t = useTexts('devices')
  const own = useTexts('device')
  const pending = devices.reduce((sum, { waiting }) => sum + waiting, 0)
  async function run(): Promise<void> {
    let [cancelled, kept] = [0, 0]
    for (const { deviseId } of devices) {
      const done = await cancelQueue(deviseId, { force: false })
      cancelled += done.cancelled
      kept += done.handedOver
    }
    showToast({ text: `${own.cancelledCount(cancelled)}${kept > 0 ? ` ${own.keptDispatched(kept)}` : ''}` })
  }
  return (
    <Confirm
      title={t.cancelPending(pending)}
      action={t.cancelPending(pending)}
      dismiss={own.keep}
      isDanger
      run={run}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.cancelPendingAsk(pending)}</p>
    </Confirm>
  )
}
