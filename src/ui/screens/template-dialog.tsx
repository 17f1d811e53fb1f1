/** Creates a template, empty, as a copy of another or from a message, or edits a template. */
import { useState } from 'preact/hooks'
import { DialogForm } from '../parts/dialog-form.tsx'
import { MessageFields } from '../parts/message-fields.tsx'
import { TermsFields } from '../parts/terms-fields.tsx'
import { loadClients } from '../state/clients.ts'
import { findJsonProblem } from '../state/json.ts'
import { useResource } from '../state/resource.ts'
import {
  createTemplate,
  replaceTemplate,
  TEMPLATE_TERMS,
  type TemplateContent,
  templateTermsOf,
} from '../state/templates.ts'
import { useTexts } from '../texts/texts.ts'

interface TemplateDialogProps {
  readonly title: string
  readonly content: TemplateContent
  /** Template to change; null creates one. */
  readonly id: number | null
  readonly onDone: () => void
  readonly onClose: () => void
}

export function TemplateDialog({ title, content, id, onDone, onClose }: TemplateDialogProps) {
  const t = useTexts('templates')
  const devices = useResource('template-devices', async () =>
    (await loadClients()).filter(({ role }) => role === 'DEVISE'),
  )
  const [template, setTemplate] = useState(content)
  const set = (change: Partial<TemplateContent>): void => setTemplate((before) => ({ ...before, ...change }))
  const save = (): Promise<unknown> => {
    const saved = { ...template, description: template.description?.trim() || null }
    return id === null ? createTemplate(saved) : replaceTemplate(id, saved)
  }
  return (
    <DialogForm
      title={title}
      action={t.keep}
      class="send-form"
      isValid={findJsonProblem(template.data) === null}
      run={save}
      onDone={onDone}
      onClose={onClose}
    >
      <label>
        {t.name}
        <input
          value={template.description ?? ''}
          maxLength={4096}
          autocomplete="off"
          onInput={({ currentTarget }) => set({ description: currentTarget.value })}
        />
      </label>
      <label>
        {t.forDevice}
        <select
          value={template.clientId ?? ''}
          onChange={({ currentTarget: { value } }) => set({ clientId: value === '' ? null : Number(value) })}
        >
          <option value="">{t.anyDevice}</option>
          {(devices.value ?? []).map((each) => (
            <option key={each.id} value={each.id}>
              {each.deviseId}
            </option>
          ))}
        </select>
      </label>
      <MessageFields value={template} onChange={set} />
      <TermsFields
        value={template}
        names={TEMPLATE_TERMS}
        onChange={(terms) => set(templateTermsOf(terms))}
      />
    </DialogForm>
  )
}
