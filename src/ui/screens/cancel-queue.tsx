/** Cancels all pending messages of a device, or those with one command, after a question with their number. */
import { Ban, ChevronDown } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { Confirm } from '../parts/confirm.tsx'
import { Popover } from '../parts/popover.tsx'
import { cancelQueue, type Queue } from '../state/devices.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

interface CancelQueueProps {
  readonly id: string
  readonly queue: Queue
  readonly hasFlight: boolean
  readonly onDone: () => void
}

/** Messages of the question. The command is null for all messages. */
interface Asked {
  readonly command: string | null
  readonly count: number
}

export function CancelQueue({ id, queue, hasFlight, onDone }: CancelQueueProps) {
  const t = useTexts('device')
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = (): void => {
    setAsked(null)
    onDone()
  }
  return (
    <div class="actions">
      <button
        type="button"
        class="small quiet"
        onClick={() => setAsked({ command: null, count: queue.total })}
      >
        <Ban size={14} aria-hidden="true" /> {t.cancelAll(queue.total)}
      </button>
      {queue.commands.length > 1 && <ByCommand commands={queue.commands} onChoose={setAsked} />}
      {asked && (
        <Question
          {...asked}
          id={id}
          hasDispatched={hasFlight || queue.items.some(({ attempts = 0 }) => attempts > 0)}
          onClose={close}
        />
      )}
    </div>
  )
}

interface ByCommandProps {
  readonly commands: Queue['commands']
  readonly onChoose: (asked: Asked) => void
}

function ByCommand({ commands, onChoose }: ByCommandProps) {
  const t = useTexts('device')
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        class="small quiet"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        {t.byCommand} <ChevronDown size={14} aria-hidden="true" />
      </button>
      {isOpen && (
        <Popover anchor={button} role="menu" label={t.byCommand} onClose={() => setOpen(false)}>
          <ul role="none" class="menu-items">
            {commands.map(({ command, count }) => (
              <li key={command} role="none">
                <button
                  type="button"
                  role="menuitem"
                  onClick={() => {
                    setOpen(false)
                    onChoose({ command, count })
                  }}
                >
                  {t.cancelCommand({ command, count })}
                </button>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </>
  )
}

interface QuestionProps extends Asked {
  readonly id: string
  readonly hasDispatched: boolean
  readonly onClose: () => void
}

function Question({ id, command, count, hasDispatched, onClose }: QuestionProps) {
  const t = useTexts('device')
  const [force, setForce] = useState(hasDispatched)
  const label = command === null ? t.cancelAll(count) : t.cancelCommand({ command, count })
  async function run(): Promise<void> {
    const { cancelled, handedOver } = await cancelQueue(id, { force, ...(command !== null && { command }) })
    const kept = handedOver > 0 && !force ? ` ${t.keptDispatched(handedOver)}` : ''
    showToast({ text: `${t.cancelledCount(cancelled)}${kept}` })
  }
  return (
    <Confirm
      title={label}
      action={label}
      dismiss={t.keep}
      isDanger
      run={run}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.cancelAllAsk}</p>
      {hasDispatched && (
        <label class="switch">
          <input
            type="checkbox"
            checked={force}
            onChange={({ currentTarget }) => setForce(currentTarget.checked)}
          />
          {t.cancelDispatched}
        </label>
      )}
    </Confirm>
  )
}
