/** Shows the notices of {@link showToast} over the page: at the bottom left, on a phone at the top. */
import { CircleAlert, CircleCheck, Info, X } from 'lucide-preact'
import { closeToast, holdToasts, type Toast, toasts } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

const ICONS = { good: CircleCheck, bad: CircleAlert, info: Info }

/** Shows the notices. The list stays in the document, so that a screen reader announces additions. */
export function Toasts() {
  return (
    <div
      class="toasts"
      role="status"
      onPointerEnter={() => holdToasts(true)}
      onPointerLeave={() => holdToasts(false)}
      onFocusIn={() => holdToasts(true)}
      onFocusOut={() => holdToasts(false)}
    >
      {toasts.value.map((each) => (
        <ToastItem key={each.key} toast={each} />
      ))}
    </div>
  )
}

function ToastItem({ toast: { key, text, tone = 'good', link, action } }: { toast: Toast }) {
  const t = useTexts('common')
  const Icon = ICONS[tone]
  const close = (): void => closeToast(key)
  return (
    <div class={`toast ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon size={18} aria-hidden="true" />
      <p>{text}</p>
      {link && (
        <a href={link.href} onClick={close}>
          {link.label}
        </a>
      )}
      {action && (
        <button
          type="button"
          class="small quiet"
          onClick={() => {
            close()
            action.run()
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" class="icon" aria-label={t.close} onClick={close}>
        <X size={16} aria-hidden="true" />
      </button>
    </div>
  )
}
