/** Edits the content of a message: command, data and guarantee. */
import { useId } from 'preact/hooks'
import type { DeliveryGuarantee } from '../../client/index.ts'
import type { MessageContent } from '../state/draft.ts'
import { useTexts } from '../texts/texts.ts'
import { JsonEditor } from './json-editor.tsx'

const GUARANTEES: readonly DeliveryGuarantee[] = ['RECEIPT_CONFIRMATION', 'NO', 'ONLY_LAST']

interface MessageFieldsProps {
  readonly value: MessageContent
  readonly onChange: (change: Partial<MessageContent>) => void
  readonly recent?: readonly MessageContent[]
}

export function MessageFields({ value, onChange, recent = [] }: MessageFieldsProps) {
  const t = useTexts('send')
  const common = useTexts('common')
  return (
    <>
      <label>
        {common.command}
        <input
          class="id"
          value={value.command}
          required
          maxLength={255}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ command: currentTarget.value })}
        />
      </label>
      {recent.length > 0 && (
        <div class="recent">
          <span>{t.recent}</span>
          {recent.map((each) => (
            <button key={each.command} type="button" class="small quiet" onClick={() => onChange(each)}>
              <span class="id">{each.command}</span>
            </button>
          ))}
        </div>
      )}
      <JsonEditor value={value.data} onChange={(data) => onChange({ data })} />
      <Guarantees value={value.guarantee} onChange={(guarantee) => onChange({ guarantee })} />
    </>
  )
}

interface GuaranteesProps {
  readonly value: DeliveryGuarantee
  readonly onChange: (value: DeliveryGuarantee) => void
}

function Guarantees({ value, onChange }: GuaranteesProps) {
  const t = useTexts('send')
  const names = useTexts('guarantees')
  const hints = useTexts('guaranteeHints')
  const id = useId()
  return (
    <details class="guarantee-fold">
      <summary>
        {t.guarantee}: <strong>{names[value]}</strong>
      </summary>
      <fieldset class="guarantees">
        <legend class="visually-hidden">{t.guarantee}</legend>
        {GUARANTEES.map((each) => (
          <label key={each} class="guarantee" title={each}>
            <input
              type="radio"
              name={id}
              checked={each === value}
              aria-labelledby={`${id}-${each}`}
              aria-describedby={`${id}-${each}-hint`}
              onChange={() => onChange(each)}
            />
            <span>
              <strong id={`${id}-${each}`}>{names[each]}</strong>
              <small id={`${id}-${each}-hint`}>{hints[each]}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </details>
  )
}
