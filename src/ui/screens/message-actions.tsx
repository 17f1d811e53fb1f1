/** Offers the actions on a message: copy, cancel, replay, edit and send, resend. */

import { OctagonX, Pencil, Repeat, RotateCcw, Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { curlCommand } from '../state/curl.ts'
import { links, navigate } from '../state/location.ts'
import { cancelMessage, type MessageDetail, replayMessage, resendMessage } from '../state/message.ts'
import { useTexts } from '../texts/texts.ts'

const ICON = { size: 14, 'aria-hidden': true } as const

interface MessageActionsProps {
  readonly message: MessageDetail
  readonly onChange: () => void
}

export function MessageActions({ message, onChange }: MessageActionsProps) {
  const t = useTexts('message')
  const [dialog, setDialog] = useState<'cancel' | 'replay' | 'resend' | null>(null)
  const close = (): void => setDialog(null)
  const { id, deliveryStatus, deliveryGuarantee } = message
  const isReplayable = deliveryStatus === 'UNKNOWN' && deliveryGuarantee !== 'NO'
  const closeAndReload = (): void => {
    close()
    onChange()
  }
  return (
    <>
      <CopyButton text={curlCommand(message, location.origin)} label={t.copyCurl} />
      <AdminOnly>
        {deliveryStatus === 'NOT_DELIVERED' && (
          <button type="button" class="small danger" onClick={() => setDialog('cancel')}>
            {wasDispatched(message) ? <OctagonX {...ICON} /> : <Undo2 {...ICON} />} {t.cancel}
          </button>
        )}
        {isReplayable && (
          <button type="button" class="small" onClick={() => setDialog('replay')}>
            <RotateCcw {...ICON} /> {t.replay}
          </button>
        )}
        <a class="button small quiet" href={links.send({ messageId: String(id) })}>
          <Pencil size={14} aria-hidden="true" /> {t.edit}
        </a>
        <button
          type="button"
          class={isReplayable ? 'small quiet' : 'small'}
          onClick={() => setDialog('resend')}
        >
          <Repeat size={14} aria-hidden="true" /> {t.resend}
        </button>
      </AdminOnly>
      {dialog === 'cancel' && <CancelDialog message={message} onClose={closeAndReload} />}
      {dialog === 'replay' && (
        <Confirm
          title={t.replay}
          action={t.replay}
          run={() => replayMessage(id)}
          textFor={(error) => (isStatus(error, 409) ? t.notReplayable : queueFullText(error, t.queueFull))}
          onDone={closeAndReload}
          onClose={closeAndReload}
        >
          <p>{t.replayAsk}</p>
        </Confirm>
      )}
      {dialog === 'resend' && <ResendDialog message={message} onClose={close} />}
    </>
  )
}

/** Cancels a message. For a message that was dispatched it warns that the device may have it. */
function CancelDialog({ message, onClose }: { message: MessageDetail; onClose: () => void }) {
  const t = useTexts('message')
  const isInFlight = wasDispatched(message)
  const tooLate = isInFlight ? t.ended : t.tooLate
  return (
    <Confirm
      title={t.cancel}
      action={t.cancel}
      dismiss={t.keep}
      isDanger
      run={() => cancelMessage(message.id, isInFlight)}
      textFor={(error) => (isStatus(error, 409) ? tooLate : undefined)}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{isInFlight ? t.cancelInFlightAsk : t.cancelAsk}</p>
    </Confirm>
  )
}

function ResendDialog({ message, onClose }: { message: MessageDetail; onClose: () => void }) {
  const t = useTexts('message')
  const isPending = message.deliveryStatus === 'NOT_DELIVERED'
  return (
    <Confirm
      title={t.resend}
      action={isPending ? t.resendPending : t.resend}
      run={async () => {
        const { id } = await resendMessage(message.id, isPending)
        navigate(links.message(id))
      }}
      textFor={(error) => queueFullText(error, t.queueFull)}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{isPending ? t.resendPendingAsk : t.resendAsk}</p>
      <p class="waybill">
        <span class="id">{message.deviseId}</span>
        <span aria-hidden="true">←</span>
        <strong class="id">{message.command}</strong>
      </p>
    </Confirm>
  )
}

function wasDispatched({ attempts }: MessageDetail): boolean {
  return attempts.length > 0
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof RequestError && error.status === status
}

function queueFullText(error: unknown, text: string): string | undefined {
  return isStatus(error, 429) ? text : undefined
}
