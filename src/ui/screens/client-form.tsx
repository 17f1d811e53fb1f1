/** Changes a login: its id, its role, its description, and which queues a device or program may use. */
import { useState } from 'preact/hooks'
import { Confirm } from '../parts/confirm.tsx'
import { IdField } from '../parts/id-field.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { type Client, type Role, updateClient } from '../state/clients.ts'
import { session } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { RoleField } from './role-field.tsx'

type Change = Parameters<typeof updateClient>[1]

interface ClientFormProps {
  readonly client: Client
  readonly isLastAdmin: boolean
  readonly onSaved: () => void
  readonly onRenamed: (id: string) => void
}

export function ClientForm({ client, isLastAdmin, onSaved, onRenamed }: ClientFormProps) {
  const t = useTexts('clients')
  const access = useTexts('access')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [id, setId] = useState(client.deviseId)
  const [role, setRole] = useState<Role>(client.role)
  const [problem, setProblem] = useState<string | null>(null)
  const [asked, setAsked] = useState<Change | null>(null)
  const isRenamed = id !== client.deviseId
  const isYou = client.deviseId === session.value?.deviceId
  const isDemotion = client.role === 'MAN' && role !== 'MAN'

  async function save(change: Change): Promise<void> {
    await updateClient(client.id, change)
    showToast({ text: access.saved({ id }) })
    onSaved()
    if (isRenamed) onRenamed(id)
  }
  function submit(event: SubmitEvent): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string): string => String(form.get(name) ?? '')
    const own = text('own')
    const change: Change = {
      deviseId: id,
      role,
      description: text('description'),
      ...(role === 'DEVISE' && {
        ownQueueOnly: own === '' ? null : own === 'true',
        devices: text('devices').split(/\s+/).filter(Boolean),
      }),
    }
    setProblem(null)
    if (isDemotion) setAsked(change)
    else save(change).catch((error: unknown) => setProblem(textOf(error)))
  }

  return (
    <>
      <form onSubmit={submit}>
        <IdField
          label={role === 'DEVISE' ? t.id : access.userName}
          value={id}
          onInput={({ currentTarget }) => setId(currentTarget.value)}
        />
        {isRenamed && role === 'DEVISE' && <p class="notice wait">{t.renamed({ id: client.deviseId })}</p>}
        {isYou && isRenamed && <p class="notice wait">{t.yourId}</p>}
        <label>
          {t.description}
          <input name="description" maxLength={4096} autocomplete="off" defaultValue={client.description} />
        </label>
        <fieldset
          class="plain"
          disabled={isLastAdmin}
          aria-describedby={isLastAdmin ? 'last-admin' : undefined}
        >
          <RoleField roles={['DEVISE', 'READER', 'MAN']} value={role} onChange={setRole} />
        </fieldset>
        {isLastAdmin && (
          <p id="last-admin" class="muted">
            {t.lastAdmin}
          </p>
        )}
        {isYou && role !== 'MAN' && <p class="notice wait">{t.yourRole}</p>}
        {role === 'DEVISE' && <QueueFields client={client} />}
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="submit">{common.save}</button>
        </div>
      </form>
      {asked && (
        <Confirm
          title={access.demoteTitle({ id: client.deviseId })}
          action={common.save}
          typed={client.deviseId}
          isDanger
          run={() => save(asked)}
          onDone={() => setAsked(null)}
          onClose={() => setAsked(null)}
        >
          <p>{access.demoteAsk}</p>
        </Confirm>
      )}
    </>
  )
}

function QueueFields({ client: { ownQueueOnly = null, devices = [] } }: { client: Client }) {
  const t = useTexts('access')
  return (
    <>
      <label>
        {t.ownQueue}
        <select name="own" defaultValue={ownQueueOnly === null ? '' : String(ownQueueOnly)}>
          <option value="">{t.own_null}</option>
          <option value="true">{t.own_true}</option>
          <option value="false">{t.own_false}</option>
        </select>
      </label>
      <label>
        {t.gateway}
        <input
          name="devices"
          class="id"
          autocomplete="off"
          spellcheck={false}
          defaultValue={devices.join(' ')}
          aria-describedby="gateway-hint"
        />
        <small id="gateway-hint">{t.gatewayHint}</small>
      </label>
    </>
  )
}
