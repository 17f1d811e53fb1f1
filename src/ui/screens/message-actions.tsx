/**
 * Offers the actions on a message: cancel, replay, edit and send, send again; in a menu: copy as curl, save as
 * template, audit trail.
 */

import { FileStack, Pencil, Repeat, RotateCcw, ScrollText, Terminal, Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { copyText } from '../parts/copy-button.tsx'
import { Menu } from '../parts/menu.tsx'
import { QuestionButton } from '../parts/question.tsx'
import { curlCommand } from '../state/curl.ts'
import { links, linkTo, navigate } from '../state/location.ts'
import { cancelMessage, type MessageDetail, replayMessage, resendMessage } from '../state/message.ts'
import { mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

const ICON = { size: 15, 'aria-hidden': true } as const

interface MessageActionsProps {
  readonly message: MessageDetail
  readonly onChange: () => void
}

/** Shows the actions that can succeed. The status determines the filled button. */
export function MessageActions({ message, onChange }: MessageActionsProps) {
  const t = useTexts('message')
  const { id, deliveryStatus, deliveryGuarantee } = message
  const isPending = deliveryStatus === 'NOT_DELIVERED'
  const isReplayable = deliveryStatus === 'UNKNOWN' && deliveryGuarantee !== 'NO'
  // An open question stays, even if the status changes meanwhile: its answer then reports the change.
  const [asked, setAsked] = useState<'cancel' | 'replay' | null>(null)
  const end = (): void => {
    setAsked(null)
    onChange()
  }
  return (
    <>
      <AdminOnly>
        <a class="button quiet" href={links.send({ messageId: String(id) })}>
          <Pencil {...ICON} /> {t.edit}
        </a>
        <ResendButton message={message} isFilled={!isPending && !isReplayable} onChange={onChange} />
        {(isReplayable || asked === 'replay') && (
          <ReplayButton message={message} onAsk={() => setAsked('replay')} onChange={end} />
        )}
        {(isPending || asked === 'cancel') && (
          <CancelButton message={message} onAsk={() => setAsked('cancel')} onChange={end} />
        )}
      </AdminOnly>
      <MoreActions message={message} />
    </>
  )
}

function MoreActions({ message }: { message: MessageDetail }) {
  const t = useTexts('message')
  const common = useTexts('common')
  const copy = async (): Promise<void> => {
    if (await copyText(curlCommand(message, location.origin))) showToast({ text: common.copied })
  }
  return (
    <Menu
      label={common.actions}
      items={[
        { label: t.copyCurl, icon: Terminal, run: copy },
        ...(mayChange.value
          ? [{ label: t.saveTemplate, icon: FileStack, link: links.newTemplate(message.id) }]
          : []),
        {
          label: t.audit,
          icon: ScrollText,
          link: linkTo('/system/audit', { object: String(message.id) }),
        },
      ]}
    />
  )
}

interface AskingProps extends MessageActionsProps {
  readonly onAsk: () => void
}

/** Cancels a message. For a dispatched message it warns that the device may have it. */
function CancelButton({ message, onAsk, onChange }: AskingProps) {
  const t = useTexts('message')
  const { id } = message
  const isInFlight = message.attempts.length > 0
  return (
    <QuestionButton
      class="danger"
      onAsk={onAsk}
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

function ReplayButton({ message, onAsk, onChange }: AskingProps) {
  const t = useTexts('message')
  const { id } = message
  return (
    <QuestionButton
      class=""
      onAsk={onAsk}
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
  )
}

/** Sends the command again as a new message. The second time it names the message of the first. */
function ResendButton({ message, isFilled, onChange }: MessageActionsProps & { readonly isFilled: boolean }) {
  const t = useTexts('message')
  const { deliveryStatus, resentAs } = message
  const isPending = deliveryStatus === 'NOT_DELIVERED'
  const ask = isPending ? t.resendPendingAsk : t.resendAsk
  return (
    <QuestionButton
      class={isFilled ? '' : 'quiet'}
      shortcut="r"
      label={
        <>
          <Repeat {...ICON} /> {t.resend}
        </>
      }
      question={
        <>
          <Subject message={message} />
          <p>{resentAs == null ? ask : t.resendSecondAsk({ id: resentAs })}</p>
        </>
      }
      action={isPending ? t.resendPending : t.resend}
      run={async () => {
        const { id } = await resendMessage(message.id, isPending)
        showToast({
          text: t.resent({ id }),
          link: { href: links.message(message.id), label: t.back({ id: message.id }) },
        })
        navigate(links.message(id))
      }}
      textFor={(error) => queueFullText(error, t.queueFull)}
      onDone={onChange}
    />
  )
}

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
