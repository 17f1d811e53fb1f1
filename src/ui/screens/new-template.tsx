/** Making a template, anew or like another. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Loaded, useProblemText } from '../parts/loaded.tsx'
import { MessageFields } from '../parts/message-fields.tsx'
import { type Client, loadClients } from '../state/clients.ts'
import { problemIn, setOut } from '../state/json.ts'
import { useResource } from '../state/resource.ts'
import { BLANK, type Recent } from '../state/sending.ts'
import { makeTemplate, type Template } from '../state/templates.ts'
import { useTexts } from '../texts/texts.ts'

interface NewTemplateProps {
  readonly like?: Template
  readonly onDone: () => void
  readonly onClose: () => void
}

export function NewTemplate(props: NewTemplateProps) {
  const t = useTexts('templates')
  const devices = useResource('template-devices', async () =>
    (await loadClients()).filter(({ role }) => role === 'DEVISE'),
  )
  return (
    <Dialog title={props.like ? t.copy : t.create} onClose={props.onClose}>
      <Loaded from={devices}>
        {(found) => (found.length === 0 ? <p>{t.noDevices}</p> : <Form devices={found} {...props} />)}
      </Loaded>
    </Dialog>
  )
}

function Form({ devices, like, onDone, onClose }: NewTemplateProps & { devices: readonly Client[] }) {
  const t = useTexts('templates')
  const common = useTexts('words')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [message, setMessage] = useState<Recent>(
    like
      ? { command: like.command, guarantee: like.deliveryGuarantee, data: setOut(like.data) }
      : { command: BLANK.command, guarantee: BLANK.guarantee, data: BLANK.data },
  )

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const [clientId, description] = [Number(form.get('client')), String(form.get('description'))]
    try {
      await makeTemplate({ clientId, description, ...message })
      onDone()
    } catch (error) {
      setProblem(textOf(error))
    }
  }

  return (
    <form class="send-form" onSubmit={save}>
      <label>
        {t.forDevice}
        <select name="client" required defaultValue={like ? String(like.clientId) : ''}>
          <option value="">{t.choose}</option>
          {devices.map(({ id, deviseId }) => (
            <option key={id} value={id} selected={id === like?.clientId}>
              {deviseId}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.description}
        <input name="description" maxLength={4096} autocomplete="off" defaultValue={like?.description} />
      </label>
      <small>{t.descriptionHint}</small>
      <MessageFields value={message} onChange={(change) => setMessage({ ...message, ...change })} />
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {common.cancel}
        </button>
        <button type="submit" disabled={problemIn(message.data) !== null}>
          {t.keep}
        </button>
      </div>
    </form>
  )
}
