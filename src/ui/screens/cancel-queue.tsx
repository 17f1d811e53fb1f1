/** Cancels the pending messages of a device: all, or all of one command. */
import { Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Confirm } from '../parts/confirm.tsx'
import { cancelQueue } from '../state/devices.ts'
import type { Message } from '../state/messages.ts'
import { useTexts } from '../texts/texts.ts'

interface CancelQueueProps {
  readonly id: string
  readonly messages: readonly Message[]
  readonly onDone: () => void
}

export function CancelQueue({ id, messages, onDone }: CancelQueueProps) {
  const t = useTexts('device')
  const common = useTexts('common')
  const [isAsking, setAsking] = useState(false)
  const [command, setCommand] = useState('')
  const [force, setForce] = useState(false)
  const [report, setReport] = useState<string | null>(null)
  const commands = [...new Set(messages.map((each) => each.command))]

  async function run(): Promise<void> {
    const { cancelled, handedOver } = await cancelQueue(id, { force, ...(command !== '' && { command }) })
    const kept = handedOver > 0 && !force ? ` ${t.keptDispatched(handedOver)}` : ''
    setReport(`${t.cancelledCount(cancelled)}${kept}`)
  }
  const close = (): void => {
    setAsking(false)
    onDone()
  }
  return (
    <div class="actions">
      {messages.length > 0 && (
        <button type="button" class="small quiet" onClick={() => setAsking(true)}>
          <Undo2 size={14} aria-hidden="true" /> {t.cancelAll}
        </button>
      )}
      <span role="status">{report}</span>
      {isAsking && (
        <Confirm
          title={t.cancelAll}
          action={t.cancelAll}
          dismiss={t.keep}
          isDanger
          run={run}
          onDone={close}
          onClose={close}
        >
          <p>{t.cancelAllAsk}</p>
          <label>
            {common.command}
            <select value={command} onChange={({ currentTarget }) => setCommand(currentTarget.value)}>
              <option value="">{t.anyCommand}</option>
              {commands.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label class="switch">
            <input
              type="checkbox"
              checked={force}
              onChange={({ currentTarget }) => setForce(currentTarget.checked)}
            />
            {t.cancelDispatched}
          </label>
        </Confirm>
      )}
    </div>
  )
}
