/** Lists the API keys of a client, creates a key and shows it once, and deletes keys. */
import { Plus, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Confirm } from '../parts/confirm.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { Ago, Time } from '../parts/time.tsx'
import type { Client } from '../state/clients.ts'
import { type ApiKey, createKey, deleteKey, loadKeys } from '../state/keys.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

export function ClientKeys({ client }: { client: Client }) {
  const t = useTexts('keys')
  const keys = useResource(`keys/${client.id}`, () => loadKeys(client.id))
  const [created, setCreated] = useState<string | null>(null)
  const [asked, setAsked] = useState<ApiKey | null>(null)
  const settle = (): void => {
    setAsked(null)
    keys.reload()
  }
  return (
    <>
      <p class="muted">{t.lead}</p>
      {created !== null && (
        <div class="notice good" role="status">
          <span>
            {t.created} <strong class="id">{created}</strong>
          </span>
          <CopyButton text={created} />
        </div>
      )}
      <Loaded from={keys}>
        {(all) => (all.length === 0 ? <p>{t.empty}</p> : <KeysTable keys={all} onDelete={setAsked} />)}
      </Loaded>
      <NewKey
        client={client}
        onCreated={(key) => {
          setCreated(key)
          keys.reload()
        }}
      />
      {asked && (
        <Confirm
          title={t.deleteTitle({ id: asked.id })}
          action={t.delete}
          isDanger
          run={() => deleteKey(client.id, asked.id)}
          onDone={settle}
          onClose={settle}
        >
          <p>{asked.description}</p>
          <p>{t.deleteAsk}</p>
        </Confirm>
      )}
    </>
  )
}

function KeysTable({ keys, onDelete }: { keys: readonly ApiKey[]; onDelete: (key: ApiKey) => void }) {
  const t = useTexts('keys')
  const common = useTexts('common')
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.description}</th>
            <th scope="col">{t.lastUsed}</th>
            <th scope="col">{t.expires}</th>
            <th scope="col">
              <span class="visually-hidden">{common.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row" data-label={t.description}>
                <span>
                  <span class="id">{key.id}</span> {key.description}
                </span>
              </th>
              <td data-label={t.lastUsed}>
                <Ago at={key.lastUsedDate} />
              </td>
              <td data-label={t.expires}>
                <Time at={key.expiresDate} />
              </td>
              <td class="number">
                <button
                  type="button"
                  class="icon"
                  aria-label={t.deleteTitle({ id: key.id })}
                  title={t.delete}
                  onClick={() => onDelete(key)}
                >
                  <Trash2 size={15} aria-hidden="true" />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NewKey({ client, onCreated }: { client: Client; onCreated: (key: string) => void }) {
  const t = useTexts('keys')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)

  async function create(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const element = event.currentTarget as HTMLFormElement
    const form = new FormData(element)
    const day = String(form.get('expires'))
    const expires = day === '' ? {} : { expiresDate: new Date(`${day}T00:00`).getTime() }
    try {
      onCreated(await createKey(client.id, { description: String(form.get('description')), ...expires }))
      setProblem(null)
      element.reset()
    } catch (error) {
      setProblem(textOf(error))
    }
  }

  return (
    <form onSubmit={create}>
      <label>
        {t.description}
        <input name="description" maxLength={4096} autocomplete="off" />
      </label>
      <label>
        {t.expiresOn}
        <input name="expires" type="date" min={tomorrow()} />
      </label>
      <p role="alert" class="problem">
        {problem}
      </p>
      <div class="actions">
        <button type="submit">
          <Plus size={16} aria-hidden="true" /> {t.create}
        </button>
      </div>
    </form>
  )
}

/** Returns the local date of tomorrow, in the form of a date field. */
function tomorrow(): string {
  const date = new Date()
  date.setDate(date.getDate() + 1)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((each) => String(each).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}
