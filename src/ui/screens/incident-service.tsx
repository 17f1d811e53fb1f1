/** Takes the devices of an incident out of service. */
import { useState } from 'preact/hooks'
import { DialogForm } from '../parts/dialog-form.tsx'
import { takeAllOutOfService } from '../state/device-service.ts'
import { inputTime, timeOf } from '../state/input-time.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

/** Longest time until the end that the server accepts, in milliseconds. */
const MAX_SERVICE_MS = 31_622_400_000

interface ServiceDialogProps {
  readonly devices: readonly string[]
  readonly onDone: () => void
  readonly onClose: () => void
}

export function ServiceDialog({ devices, onDone, onClose }: ServiceDialogProps) {
  const t = useTexts('incidents')
  const [until, setUntil] = useState('')
  async function run(values: FormData): Promise<void> {
    await takeAllOutOfService(devices, { reason: String(values.get('reason')), untilDate: timeOf(until) })
    showToast({ text: t.outOfService(devices.length) })
  }
  return (
    <DialogForm
      title={t.service(devices.length)}
      action={t.service(devices.length)}
      run={run}
      onDone={() => {
        onClose()
        onDone()
      }}
      onClose={onClose}
    >
      <p>{t.serviceHint}</p>
      <label>
        {t.reason}
        <input name="reason" required maxLength={500} autocomplete="off" />
      </label>
      <label>
        {t.untilEnd}
        <input
          type="datetime-local"
          data-optional
          min={inputTime(Date.now())}
          max={inputTime(Date.now() + MAX_SERVICE_MS)}
          value={until}
          onInput={({ currentTarget }) => setUntil(currentTarget.value)}
        />
      </label>
    </DialogForm>
  )
}
