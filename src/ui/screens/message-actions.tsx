/** Offers the actions on a message: copy, cancel, edit and send, resend. */
import { Pencil, Repeat, Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { curlCommand } from '../state/curl.ts'
import { links, navigate } from '../state/location.ts'
import { cancelMessage, type MessageDetail, resendMessage } from '../state/message.ts'
import { useTexts } from '../texts/texts.ts'

interface MessageActionsProps {
  readonly message: MessageDetail
  readonly onChange: () => void
}

export function MessageActions({ message, onChange }: MessageActionsProps) {
  const t = useTexts('message')
  const [dialog, setDialog] = useState<'cancel' | 'resend' | null>(null)
  const close = (): void => setDialog(null)
  const { id } = message
  return (
    <>
      <CopyButton text={curlCommand(message, location.origin)} label={t.copyCurl} />
      {message.deliveryStatus === 'NOT_DELIVERED' && (
        <button type="button" class="small danger" onClick={() => setDialog('cancel')}>
          <Undo2 size={14} aria-hidden="true" /> {t.cancel}
        </button>
      )}
      <a class="button small quiet" href={links.send({ messageId: String(id) })}>
        <Pencil size={14} aria-hidden="true" /> {t.edit}
      </a>
      <button type="button" class="small" onClick={() => setDialog('resend')}>
        <Repeat size={14} aria-hidden="true" /> {t.resend}
      </button>
      {dialog === 'cancel' && (
        <Confirm
          title={t.cancel}
          action={t.cancel}
          dismiss={t.keep}
          isDanger
          run={() => cancelMessage(id)}
          textFor={(error) => (error instanceof RequestError && error.status === 409 ? t.tooLate : undefined)}
          onDone={() => {
            close()
            onChange()
          }}
          onClose={() => {
            close()
            onChange()
          }}
        >
          <p>{t.cancelAsk}</p>
        </Confirm>
      )}
      {dialog === 'resend' && <ResendDialog message={message} onClose={close} />}
    </>
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
      textFor={(error) => (error instanceof RequestError && error.status === 429 ? t.queueFull : undefined)}
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
