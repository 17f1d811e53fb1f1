/** Sending a command: as a dialog from anywhere (key `c`, and every link to it), and as a place of its own. */
import { useEffect } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Heading } from '../parts/heading.tsx'
import { decoded, links, path, query } from '../state/location.ts'
import { opened } from '../state/sending.ts'
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

/** The dialog, and what opens it. */
export function SendFromAnywhere() {
  const t = useTexts('send')
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    document.addEventListener('click', onClick)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('click', onClick)
    }
  }, [])
  const place = path.value
  useEffect(() => {
    opened.value = null
  }, [place])
  const close = (): void => {
    opened.value = null
  }
  if (opened.value === null) return null
  return (
    <Dialog title={t.title} onClose={close}>
      <SendForm from={opened.value} onClose={close} />
    </Dialog>
  )
}

/** Where the form is there already, it is not shown twice. */
const isThere = (): boolean =>
  `#${path.peek()}` === links.send() || document.querySelector('dialog[open]') !== null

function onKey(event: KeyboardEvent): void {
  const { key, code, ctrlKey, altKey, metaKey, target } = event
  const isWriting = target instanceof Element && target.closest('input, textarea, select, [contenteditable]')
  // By its place too: where it writes another letter, as on Russian keyboards.
  const isKey = key === 'c' || (code === 'KeyC' && !/^[a-z]$/i.test(key))
  if (!isKey || ctrlKey || altKey || metaKey || isWriting || isThere()) return
  event.preventDefault()
  const device = /^\/devices\/([^/]+)$/.exec(path.peek())?.[1]
  opened.value = device === undefined ? {} : { deviseId: decoded(device) }
}

function onClick(event: MouseEvent): void {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = target instanceof Element && target.closest('a')?.getAttribute('href')
  if (!link || event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return
  const [to, values] = link.split('?', 2)
  if (to !== links.send() || isThere()) return
  event.preventDefault()
  opened.value = Object.fromEntries(new URLSearchParams(values))
}
