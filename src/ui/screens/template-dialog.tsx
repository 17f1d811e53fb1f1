/** Creates a template, empty, as a copy of another or from a message, or changes one. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { useProblemText } from '../parts/loaded.tsx'
import { MessageFields } from '../parts/message-fields.tsx'
import { TermsFields } from '../parts/terms-fields.tsx'
import { type Client, loadClients } from '../state/clients.ts'
import { findJsonProblem } from '../state/json.ts'
import { useResource } from '../state/resource.ts'
import { createTemplate, replaceTemplate, type TemplateContent } from '../state/templates.ts'
import { useTexts } from '../texts/texts.ts'

interface TemplateDialogProps {
  readonly title: string
  readonly content: TemplateContent
  /** Template to change; null creates one. */
  readonly id: number | null
  readonly onDone: () => void
  readonly onClose: () => void
}

export function TemplateDialog(props: TemplateDialogProps) {
  const devices = useResource('template-devices', async () =>
    (await loadClients()).filter(({ role }) => role === 'DEVISE'),
  )
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <Form devices={devices.value ?? []} {...props} />
    </Dialog>
  )
}

function Form({
  devices,
  content,
  id,
  onDone,
  onClose,
}: TemplateDialogProps & { devices: readonly Client[] }) {
  const t = useTexts('templates')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [template, setTemplate] = useState(content)
  const set = (change: Partial<TemplateContent>): void => setTemplate((before) => ({ ...before, ...change }))

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (isBusy || findJsonProblem(template.data) !== null) return
    setBusy(true)
    setProblem(null)
    const saved = { ...template, description: template.description?.trim() || null }
    try {
      await (id === null ? createTemplate(saved) : replaceTemplate(id, saved))
      onDone()
    } catch (error) {
      setProblem(textOf(error))
      setBusy(false)
    }
  }

  return (
    <form
      class="send-form"
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
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
          {devices.map((each) => (
            <option key={each.id} value={each.id}>
              {each.deviseId}
            </option>
          ))}
        </select>
      </label>
      <MessageFields value={template} onChange={set} />
      <TermsFields
        value={template}
        names={['validSeconds', 'finishSeconds', 'maxAttempts']}
        onChange={({ validSeconds, finishSeconds, maxAttempts }) =>
          set({ validSeconds, finishSeconds, maxAttempts })
        }
      />
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {common.close}
        </button>
        <button type="submit" aria-busy={isBusy} disabled={isBusy || findJsonProblem(template.data) !== null}>
          {t.keep}
        </button>
      </div>
    </form>
  )
}
