/** JSON from outside, set out in lines; what is copied is the text as it was sent. */
import { setOut } from '../state/json.ts'
import { useTexts } from '../texts/texts.ts'
import { CopyButton } from './copy.tsx'

interface PayloadProps {
  readonly json: string
  /** What the button says. */
  readonly copy?: string
}

export function Payload({ json, copy }: PayloadProps) {
  const t = useTexts('words')
  return (
    <div class="payload">
      {/* It may have to be scrolled, by keyboard too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0}>{setOut(json)}</pre>
      <CopyButton text={json} label={copy ?? t.copy} />
    </div>
  )
}
