/** Returns the actions on a message in a list, as its status permits. */
import { FileStack, Pencil, Repeat, RotateCcw, Undo2 } from 'lucide-preact'
import { useMemo } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import type { MenuItem } from '../parts/menu.tsx'
import { links } from '../state/location.ts'
import { cancelMessage, replayMessage, resendMessage } from '../state/message.ts'
import type { Message } from '../state/messages.ts'
import { showToast } from '../state/toasts.ts'
import type { ReadyTexts } from '../texts/texts.ts'
import { useTexts } from '../texts/texts.ts'

export function useMessageMenu(onChange: () => void): (message: Message) => readonly MenuItem[] {
  const t = useTexts('message')
  return useMemo(() => menuOf(t, onChange), [t, onChange])
}

function menuOf(t: ReadyTexts<'message'>, onChange: () => void): (message: Message) => readonly MenuItem[] {
  const ask = (message: Message, text: string, dismiss?: string) => ({
    text: (
      <>
        <Subject message={message} /> {text}
      </>
    ),
    ...(dismiss !== undefined && { dismiss }),
  })
  const done = (text: string, id: number): void => {
    showToast({ text, link: { href: links.message(id), label: `№ ${id}` } })
    onChange()
  }
  const cancel = (message: Message): MenuItem => {
    const isInFlight = (message.attempts ?? 0) > 0
    return {
      label: t.cancel,
      icon: Undo2,
      isDanger: true,
      ask: ask(message, isInFlight ? t.cancelInFlightAsk : t.cancelAsk, t.keep),
      async run() {
        await cancelMessage(message.id, isInFlight)
        done(t.cancelled({ id: message.id }), message.id)
      },
      textFor: textFor({ 409: isInFlight ? t.ended : t.tooLate }),
    }
  }
  const replay = (message: Message): MenuItem => ({
    label: t.replay,
    icon: RotateCcw,
    ask: ask(message, t.replayAsk),
    async run() {
      await replayMessage(message.id)
      done(t.replayed({ id: message.id }), message.id)
    },
    textFor: textFor({ 409: t.notReplayable, 429: t.queueFull }),
  })
  const resend = (message: Message): MenuItem => ({
    label: t.resend,
    icon: Repeat,
    ask: ask(message, message.resentAs == null ? t.resendAsk : t.resendSecondAsk({ id: message.resentAs })),
    async run() {
      const { id } = await resendMessage(message.id, false)
      done(t.resent({ id }), id)
    },
    textFor: textFor({ 429: t.queueFull }),
  })
  return (message) => {
    const { id, deliveryStatus, deliveryGuarantee } = message
    const isPending = deliveryStatus === 'NOT_DELIVERED'
    const isReplayable = deliveryStatus === 'UNKNOWN' && deliveryGuarantee !== 'NO'
    return [
      ...(isPending ? [cancel(message)] : [resend(message)]),
      ...(isReplayable ? [replay(message)] : []),
      { label: t.edit, icon: Pencil, link: links.send({ messageId: String(id) }) },
      { label: t.saveTemplate, icon: FileStack, link: links.newTemplate(id) },
    ]
  }
}

/** Returns the text for an error by its status. */
function textFor(texts: Readonly<Record<number, string>>): (error: unknown) => string | undefined {
  return (error) => (error instanceof RequestError ? texts[error.status] : undefined)
}

function Subject({ message: { id, command, deviseId } }: { message: Message }) {
  return (
    <>
      № {id} <strong class="id">{command}</strong> → <span class="id">{deviseId}</span>.
    </>
  )
}
