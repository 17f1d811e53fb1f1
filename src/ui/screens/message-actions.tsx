/** Offers the actions on a message: copy, cancel, replay, edit and send, send again. */

import { Pencil, Repeat, RotateCcw, Undo2 } from 'lucide-preact'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { QuestionButton } from '../parts/question.tsx'
import { curlCommand } from '../state/curl.ts'
import { links, navigate } from '../state/location.ts'
import { cancelMessage, type MessageDetail, replayMessage, resendMessage } from '../state/message.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

const ICON = { size: 14, 'aria-hidden': true } as const

interface MessageActionsProps {
  readonly message: MessageDetail
  readonly onChange: () => void
}

export function MessageActions({ message, onChange }: MessageActionsProps) {
  const t = useTexts('message')
  const { id, deliveryStatus, deliveryGuarantee } = message
  const isReplayable = deliveryStatus === 'UNKNOWN' && deliveryGuarantee !== 'NO'
  return (
    <>
      <CopyButton text={curlCommand(message, location.origin)} label={t.copyCurl} />
      <AdminOnly>
        {deliveryStatus === 'NOT_DELIVERED' && <CancelButton message={message} onChange={onChange} />}
        {isReplayable && (
          <QuestionButton
            class="small"
            label={
              <>
                <RotateCcw {...ICON} /> {t.replay}
              </>
            }
            question={
              <>
                <Subject message={message} />
                <p>{t.replayAsk}</p>
              </>
            }
            action={t.replay}
            run={() => replayMessage(id)}
            textFor={(error) => (isStatus(error, 409) ? t.notReplayable : queueFullText(error, t.queueFull))}
            onDone={() => {
              showToast({ text: t.replayed({ id }) })
              onChange()
            }}
            onClose={onChange}
          />
        )}
        <a class="button small quiet" href={links.send({ messageId: String(id) })}>
          <Pencil {...ICON} /> {t.edit}
        </a>
        <ResendButton message={message} isFilled={deliveryStatus !== 'NOT_DELIVERED' && !isReplayable} />
      </AdminOnly>
    </>
  )
}

/** Cancels a message. For a message that was dispatched it warns that the device may have it. */
function CancelButton({ message, onChange }: MessageActionsProps) {
  const t = useTexts('message')
  const { id } = message
  const isInFlight = message.attempts.length > 0
  return (
    <QuestionButton
      class="small danger"
      label={
        <>
          <Undo2 {...ICON} /> {t.cancel}
        </>
      }
      question={
        <>
          <Subject message={message} />
          <p>{isInFlight ? t.cancelInFlightAsk : t.cancelAsk}</p>
        </>
      }
      action={t.cancel}
      dismiss={t.keep}
      isDanger
      run={() => cancelMessage(id, isInFlight)}
      textFor={(error) => (isStatus(error, 409) ? (isInFlight ? t.ended : t.tooLate) : undefined)}
      onDone={() => {
        showToast({ text: t.cancelled({ id }) })
        onChange()
      }}
      onClose={onChange}
    />
  )
}

function ResendButton({ message, isFilled }: { message: MessageDetail; isFilled: boolean }) {
  const t = useTexts('message')
  const isPending = message.deliveryStatus === 'NOT_DELIVERED'
  return (
    <QuestionButton
      class={isFilled ? 'small' : 'small quiet'}
      label={
        <>
          <Repeat {...ICON} /> {t.resend}
        </>
      }
      question={
        <>
          <Subject message={message} />
          <p>{isPending ? t.resendPendingAsk : t.resendAsk}</p>
        </>
      }
      action={isPending ? t.resendPending : t.resend}
      run={async () => {
        const { id } = await resendMessage(message.id, isPending)
        showToast({ text: t.resent({ id }) })
        navigate(links.message(id))
      }}
      textFor={(error) => queueFullText(error, t.queueFull)}
      onDone={() => {}}
    />
  )
}

/** Names the message that a question is about. */
function Subject({ message: { id, deviseId, command } }: { message: MessageDetail }) {
  return (
    <p>
      № {id} <strong class="id">{command}</strong> → <span class="id">{deviseId}</span>
    </p>
  )
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof RequestError && error.status === status
}

function queueFullText(error: unknown, text: string): string | undefined {
  return isStatus(error, 429) ? text : undefined
}
