/** Offers an export of messages in a menu, and shows its progress. */
import { Braces, Download, Sheet } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { type ExportConditions, type ExportFormat, exportMessages, runningExport } from '../state/export.ts'
import { MAX_COLLECTED, TooLarge } from '../state/export-sink.ts'
import { showToast } from '../state/toasts.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { bytesText } from './bytes.ts'
import { MenuItems } from './menu.tsx'
import { Popover } from './popover.tsx'
import { useProblemText } from './problem-text.ts'

interface ExportMenuProps {
  /** Returns the conditions of the messages, or their ids, at the time of the export. */
  readonly conditions: () => ExportConditions
}

export function ExportMenu({ conditions }: ExportMenuProps) {
  const t = useTexts('export')
  const locale = useLocale()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const start = useExport(conditions)
  const running = runningExport.value
  // The same button stops the export, so that the focus stays on it.
  return (
    <span class="exporting">
      {running && <progress aria-label={t.export} />}
      {running && <span class="muted">{t.running({ bytes: bytesText(running.bytes, locale) })}</span>}
      <button
        ref={button}
        type="button"
        class="small quiet"
        aria-haspopup={running ? undefined : 'menu'}
        aria-expanded={running ? undefined : isOpen}
        onClick={() => (running ? running.stop() : setOpen(true))}
      >
        {running ? (
          t.stop
        ) : (
          <>
            <Download size={14} aria-hidden="true" /> {t.export}
          </>
        )}
      </button>
      {isOpen && (
        <Popover anchor={button} role="menu" label={t.export} onClose={() => setOpen(false)}>
          <MenuItems
            items={[
              { label: t.csv, icon: Sheet, run: () => start('csv') },
              { label: t.jsonl, icon: Braces, run: () => start('jsonl') },
            ]}
            close={() => setOpen(false)}
          />
        </Popover>
      )}
    </span>
  )
}

/** Returns a function that exports messages, and reports the result in a notice, even on another screen. */
function useExport(conditions: () => ExportConditions): (format: ExportFormat) => Promise<void> {
  const t = useTexts('export')
  const locale = useLocale()
  const textOf = useProblemText()
  const textFor = (error: unknown, format: ExportFormat): string => {
    if (error instanceof TooLarge) {
      const limit = bytesText(MAX_COLLECTED, locale)
      return t.tooLarge({ limit, command: `waybill export --format ${format} --output messages.${format}` })
    }
    return error instanceof RequestError ? textOf(error) : t.cutOff
  }
  return async (format) => {
    try {
      const bytes = await exportMessages(conditions(), format)
      if (bytes !== null) showToast({ text: t.done({ bytes: bytesText(bytes, locale) }) })
    } catch (error) {
      showToast({ text: textFor(error, format), tone: 'bad' })
    }
  }
}
