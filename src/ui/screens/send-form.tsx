/** Edits and sends a command to one or several devices. Asks before it sends to an unknown device, or to many. */
import { Send } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { useArmed } from '../parts/action.ts'
import { DeviceTokens } from '../parts/device-tokens.tsx'
import { MessageFields } from '../parts/message-fields.tsx'
import { useCodeText, useProblemText } from '../parts/problem-text.ts'
import { TermsFields } from '../parts/terms-fields.tsx'
import { unknownDevices } from '../state/devices.ts'
import { type Draft, draft, EMPTY_DRAFT, recentCommands, startContent, startDevices } from '../state/draft.ts'
import { findJsonProblem } from '../state/json.ts'
import type { Query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { sendDraft } from '../state/sent.ts'
import { useTexts } from '../texts/texts.ts'
import { type Sent, SentNotice } from './sent-notice.tsx'

/** Number of devices from which the form asks before sending. */
const MANY_DEVICES = 11

const TERMS = ['validSeconds', 'finishSeconds', 'delaySeconds', 'maxAttempts'] as const

const NO_REASONS: ReadonlyMap<string, string> = new Map()

interface SendFormProps {
  /** Query that names devices, a message or a template for the initial content. */
  readonly from: Query
  readonly onClose?: () => void
}

export function SendForm({ from, onClose }: SendFormProps) {
  const t = useTexts('send')
  const textOf = useProblemText()
  const textOfCode = useCodeText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [sent, setSent] = useState<Sent | null>(null)
  const [reasons, setReasons] = useState(NO_REASONS)
  const [question, setQuestion] = useState<string | null>(null)
  // The devices are known before the first render, so that the first empty field gets the focus.
  useState(() => startDevices(from))
  const message = draft.value
  const { deviceIds } = message
  const recent = useResource(`recent/${deviceIds[0] ?? ''}`, () => recentCommands(deviceIds[0] ?? ''))
  const set = (change: Partial<Draft>): void => {
    draft.value = { ...draft.peek(), ...change }
    setQuestion(null)
  }

  const origin = JSON.stringify(from)
  useEffect(() => {
    startContent(JSON.parse(origin) as Query).catch((error: unknown) => {
      setProblem(error instanceof RequestError && error.status === 404 ? t.gone : textOf(error))
    })
  }, [origin])

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const content = draft.peek()
    if (findJsonProblem(content.data) !== null || isBusy || question !== null) return
    setBusy(true)
    const asked = await questionFor(content.deviceIds)
    setBusy(false)
    // A person who changes the command meanwhile has not finished.
    if (draft.peek() !== content) return
    setQuestion(asked)
    if (asked === null) await send()
  }

  async function questionFor(devices: readonly string[]): Promise<string | null> {
    if (devices.length >= MANY_DEVICES) return t.askMany(devices.length)
    // Requested now, because the states of the tokens may not have arrived yet.
    const strangers = await unknownDevices(devices)
    return strangers.length > 0 ? t.askUnknown({ device: strangers.join(', ') }) : null
  }

  async function send(): Promise<void> {
    const content = draft.peek()
    setQuestion(null)
    setBusy(true)
    setProblem(null)
    try {
      const lines = await sendDraft(content)
      const refused = lines.filter(({ id }) => id === null)
      setReasons(
        new Map(
          refused.map(({ deviseId, code, params }) => [
            deviseId,
            textOfCode(code ?? undefined, params as never, code ?? ''),
          ]),
        ),
      )
      setSent(refused.length < lines.length ? { draft: content, lines } : null)
      draft.value =
        refused.length > 0 ? { ...content, deviceIds: refused.map(({ deviseId }) => deviseId) } : EMPTY_DRAFT
    } catch (error) {
      setProblem(textOf(error))
    }
    setBusy(false)
  }

  const changeDevice = (): void => {
    if (sent) draft.value = { ...sent.draft, deviceIds: [] }
    setSent(null)
  }
  const notice = sent && (
    <SentNotice
      sent={sent}
      isPartial={reasons.size > 0}
      onAgain={() => setSent(null)}
      onChangeDevice={changeDevice}
    />
  )
  if (sent && reasons.size === 0) return notice
  return (
    <>
      {notice}
      <form
        class="send-form"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
        }}
      >
        <DeviceTokens value={deviceIds} reasons={reasons} onChange={(chosen) => set({ deviceIds: chosen })} />
        <MessageFields value={message} onChange={set} recent={recent.value ?? []} />
        <TermsFields value={message.terms} names={TERMS} onChange={(terms) => set({ terms })} />
        <p role="alert" class="problem">
          {problem}
        </p>
        {question === null ? (
          <Buttons count={deviceIds.length} isBusy={isBusy} data={message.data} onClose={onClose} />
        ) : (
          <SendQuestion text={question} onKeep={() => setQuestion(null)} onSend={send} />
        )}
      </form>
    </>
  )
}

interface ButtonsProps {
  readonly count: number
  readonly isBusy: boolean
  readonly data: string
  readonly onClose: (() => void) | undefined
}

function Buttons({ count, isBusy, data, onClose }: ButtonsProps) {
  const t = useTexts('send')
  const common = useTexts('common')
  return (
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
        disabled={isBusy || findJsonProblem(data) !== null}
      >
        <Send size={15} aria-hidden="true" /> {count > 1 ? t.sendTo(count) : t.send}
      </button>
    </div>
  )
}

interface SendQuestionProps {
  readonly text: string
  readonly onKeep: () => void
  readonly onSend: () => void
}

function SendQuestion({ text, onKeep, onSend }: SendQuestionProps) {
  const t = useTexts('send')
  const isArmed = useArmed()
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  return (
    <div class="send-question" role="alertdialog" aria-label={text}>
      <p>{text}</p>
      <div class="actions">
        <button ref={keep} type="button" class="quiet" onClick={onKeep}>
          {t.keepEditing}
        </button>
        <button type="button" aria-disabled={!isArmed} onClick={() => isArmed && onSend()}>
          {t.sendAnyway}
        </button>
      </div>
    </div>
  )
}
