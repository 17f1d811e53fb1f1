/** Sends a command: in a dialog on every screen (key `c`, or a link), or on a screen of its own. */
import { useEffect } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Heading } from '../parts/heading.tsx'
import { dialogQuery } from '../state/draft.ts'
import { decodeSegment, links, path, query } from '../state/location.ts'
import { useKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { SendForm } from './send-form.tsx'

export function Send() {
  const t = useTexts('send')
  return (
    <>
      <Heading title={t.title} />
      <div class="card narrow">
        <SendForm from={query.value} />
      </div>
    </>
  )
}

/** Shows the send dialog. Key `c` and links to the send screen open it. */
export function SendFromAnywhere() {
  const t = useTexts('send')
  useKeys({ c: open })
  useEffect(() => {
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [])
  const place = path.value
  useEffect(() => {
    dialogQuery.value = null
  }, [place])
  const close = (): void => {
    dialogQuery.value = null
  }
  if (dialogQuery.value === null) return null
  return (
    <Dialog title={t.title} onClose={close}>
      <SendForm from={dialogQuery.value} onClose={close} />
    </Dialog>
  )
}

/** Returns whether the form or another dialog is already shown. */
const isFormShown = (): boolean =>
  `#${path.peek()}` === links.send() || document.querySelector('dialog[open]') !== null

/** Opens the dialog, on the screen of a device for that device. */
function open(): boolean {
  if (isFormShown()) return false
  const device = /^\/devices\/([^/]+)$/.exec(path.peek())?.[1]
  dialogQuery.value = device === undefined ? {} : { deviseId: decodeSegment(device) }
  return true
}

function onClick(event: MouseEvent): void {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = target instanceof Element && target.closest('a')?.getAttribute('href')
  if (!link || event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return
  const [to, values] = link.split('?', 2)
  if (to !== links.send() || isFormShown()) return
  event.preventDefault()
  dialogQuery.value = Object.fromEntries(new URLSearchParams(values))
}
