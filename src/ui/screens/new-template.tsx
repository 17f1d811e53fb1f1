/** Creates a template, empty or as a copy of another. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { MessageFields } from '../parts/message-fields.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { type Client, loadClients } from '../state/clients.ts'
import { EMPTY_DRAFT, type MessageContent } from '../state/draft.ts'
import { findJsonProblem, formatJson } from '../state/json.ts'
import { useResource } from '../state/resource.ts'
import { createTemplate, type Template } from '../state/templates.ts'
import { useTexts } from '../texts/texts.ts'

interface NewTemplateProps {
  /** Template to copy. */
  readonly copyOf?: Template
  readonly onDone: () => void
  readonly onClose: () => void
}

export function NewTemplate(props: NewTemplateProps) {
  const t = useTexts('templates')
  const devices = useResource('template-devices', async () =>
    (await loadClients()).filter(({ role }) => role === 'DEVISE'),
  )
  return (
    <Dialog title={props.copyOf ? t.copy : t.create} onClose={props.onClose}>
      <Loaded from={devices}>
        {(found) => (found.length === 0 ? <p>{t.noDevices}</p> : <Form devices={found} {...props} />)}
      </Loaded>
    </Dialog>
  )
}

function Form({ devices, copyOf, onDone, onClose }: NewTemplateProps & { devices: readonly Client[] }) {
  const t = useTexts('templates')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [message, setMessage] = useState<MessageContent>(
    copyOf
      ? { command: copyOf.command, guarantee: copyOf.deliveryGuarantee, data: formatJson(copyOf.data) }
      : { command: EMPTY_DRAFT.command, guarantee: EMPTY_DRAFT.guarantee, data: EMPTY_DRAFT.data },
  )

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const [clientId, description] = [Number(form.get('client')), String(form.get('description')).trim()]
    try {
      await createTemplate({ clientId, description: description || null, ...message })
      onDone()
    } catch (error) {
      setProblem(textOf(error))
    }
  }

  return (
    <form class="send-form" onSubmit={save}>
      <label>
        {t.forDevice}
        <select name="client" required defaultValue={copyOf ? String(copyOf.clientId) : ''}>
          <option value="">{t.choose}</option>
          {devices.map(({ id, deviseId }) => (
            <option key={id} value={id} selected={id === copyOf?.clientId}>
              {deviseId}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.description}
        <input name="description" maxLength={4096} autocomplete="off" defaultValue={copyOf?.description} />
      </label>
      <small>{t.descriptionHint}</small>
      <MessageFields value={message} onChange={(change) => setMessage({ ...message, ...change })} />
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {common.close}
        </button>
        <button type="submit" disabled={findJsonProblem(message.data) !== null}>
          {t.keep}
        </button>
      </div>
    </form>
  )
}
