/** Edits and sends a command, and then shows its status. */
import { CircleCheck, Send } from 'lucide-preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { type ProducerMessageResult, RequestError } from '../../client/index.ts'
import { MessageFields } from '../parts/message-fields.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import {
  type Draft,
  draft,
  EMPTY_DRAFT,
  recentCommands,
  sendDraft,
  startDraft,
  suggestedDevices,
} from '../state/draft.ts'
import { findJsonProblem } from '../state/json.ts'
import { messageChange } from '../state/live.ts'
import { links, type Query } from '../state/location.ts'
import { loadMessage } from '../state/message.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

interface SendFormProps {
  /** Query that names a device or a message to start with. */
  readonly from: Query
  readonly onClose?: () => void
}

interface Sent {
  readonly draft: Draft
  readonly result: ProducerMessageResult
}

export function SendForm({ from, onClose }: SendFormProps) {
  const t = useTexts('send')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [sent, setSent] = useState<Sent | null>(null)
  const message = draft.value
  const { deviceId } = message
  const recent = useResource(`recent/${deviceId}`, () => recentCommands(deviceId))
  const set = (change: Partial<Draft>): void => {
    draft.value = { ...draft.peek(), ...change }
  }

  const origin = JSON.stringify(from)
  useEffect(() => {
    startDraft(JSON.parse(origin) as Query).catch((error: unknown) => {
      setProblem(error instanceof RequestError && error.status === 404 ? t.gone : textOf(error))
    })
  }, [origin])

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (findJsonProblem(message.data) !== null) return
    setBusy(true)
    setProblem(null)
    try {
      setSent({ draft: message, result: await sendDraft(message) })
      draft.value = { ...EMPTY_DRAFT, deviceId }
    } catch (error) {
      setProblem(error instanceof RequestError && error.status === 429 ? t.queueFull : textOf(error))
    }
    setBusy(false)
  }

  if (sent) return <SentMessage sent={sent} onAgain={() => setSent(null)} />
  return (
    <form
      class="send-form"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
    >
      <DeviceField value={deviceId} onChange={(id) => set({ deviceId: id })} />
      <MessageFields value={message} onChange={set} recent={recent.value ?? []} />
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        {onClose && (
          <button type="button" class="quiet" onClick={onClose}>
            {common.close}
          </button>
        )}
        <button
          type="submit"
          title="Ctrl+Enter"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          aria-busy={isBusy}
          disabled={isBusy || findJsonProblem(message.data) !== null}
        >
          <Send size={15} aria-hidden="true" /> {t.send}
        </button>
      </div>
    </form>
  )
}

interface DeviceFieldProps {
  readonly value: string
  readonly onChange: (id: string) => void
}

function DeviceField({ value, onChange }: DeviceFieldProps) {
  const t = useTexts('send')
  const common = useTexts('common')
  const id = useId()
  const found = useResource(`suggestions/${value}`, () => suggestedDevices(value))
  return (
    <div class="field">
      <label for={id}>{common.device}</label>
      <input
        id={id}
        class="id"
        list={`${id}-list`}
        value={value}
        required
        maxLength={255}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <small id={`${id}-hint`}>{t.deviceHint}</small>
      <datalist id={`${id}-list`}>
        {found.value?.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  )
}

function SentMessage({ sent: { draft: sentDraft, result }, onAgain }: { sent: Sent; onAgain: () => void }) {
  const t = useTexts('send')
  const { id } = result
  const now = useResource(
    `sent/${id}`,
    () => loadMessage(id),
    (event) => messageChange(event)?.id === id,
  )
  return (
    <div class="sent" role="status">
      <CircleCheck size={36} aria-hidden="true" />
      <h3>{t.sent}</h3>
      <p>{t.sentHint({ command: sentDraft.command, device: sentDraft.deviceId })}</p>
      <p>
        <StatusBadge status={now.value?.deliveryStatus ?? result.deliveryStatus} />
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={onAgain}>
          {t.again}
        </button>
        <a class="button primary" href={links.message(id)}>
          {t.toMessage({ id })}
        </a>
      </div>
    </div>
  )
}
