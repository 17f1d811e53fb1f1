/** Shows formatted JSON. The button copies the text as sent. */
import { formatJson } from '../state/json.ts'
import { useTexts } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'

interface PayloadProps {
  readonly json: string
  /** Label of the copy button. */
  readonly copy?: string
}

export function Payload({ json, copy }: PayloadProps) {
  const t = useTexts('common')
  return (
    <div class="payload">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{formatJson(json)}</pre>
      <CopyButton text={json} label={copy ?? t.copy} />
    </div>
  )
}
