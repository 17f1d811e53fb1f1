/** What can be done with a message: take it back, send it again, as it is or changed, copy it. */
import { Pencil, Repeat, Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { curlOf } from '../state/curl.ts'
import { go, links } from '../state/location.ts'
import { cancelMessage, type Message, resendMessage } from '../state/message.ts'
import { useTexts } from '../texts/texts.ts'

interface MessageActionsProps {
  readonly message: Message
  readonly onChange: () => void
}

export function MessageActions({ message, onChange }: MessageActionsProps) {
  const t = useTexts('message')
  const [question, setQuestion] = useState<'cancel' | 'again' | null>(null)
  const close = (): void => setQuestion(null)
  const { id } = message
  return (
    <>
      <CopyButton text={curlOf(message, location.origin)} label={t.copyCurl} />
      {message.deliveryStatus === 'NOT_DELIVERED' && (
        <button type="button" class="small danger" onClick={() => setQuestion('cancel')}>
          <Undo2 size={14} aria-hidden="true" /> {t.takeBack}
        </button>
      )}
      <a class="button small quiet" href={links.send({ messageId: String(id) })}>
        <Pencil size={14} aria-hidden="true" /> {t.edit}
      </a>
      <button type="button" class="small" onClick={() => setQuestion('again')}>
        <Repeat size={14} aria-hidden="true" /> {t.again}
      </button>
      {question === 'cancel' && (
        <Confirm
          title={t.takeBack}
          action={t.takeBack}
          isDanger
          run={() => cancelMessage(id)}
          textFor={(error) =>
            error instanceof RequestError && error.status === 409 ? t.handedOver : undefined
          }
          onDone={() => {
            close()
            onChange()
          }}
          onClose={() => {
            close()
            onChange()
          }}
        >
          <p>{t.takeBackAsk}</p>
        </Confirm>
      )}
      {question === 'again' && <Again message={message} onClose={close} />}
    </>
  )
}

function Again({ message, onClose }: { message: Message; onClose: () => void }) {
  const t = useTexts('message')
  return (
    <Confirm
      title={t.again}
      action={t.again}
      run={async () => {
        const { id } = await resendMessage(message.id)
        go(links.message(id))
      }}
      textFor={(error) => (error instanceof RequestError && error.status === 429 ? t.queueFull : undefined)}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.againAsk}</p>
      <p class="waybill">
        <span class="id">{message.deviseId}</span>
        <span aria-hidden="true">←</span>
        <strong class="id">{message.command}</strong>
      </p>
    </Confirm>
  )
}
