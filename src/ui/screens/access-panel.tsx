/** Shows one login at the side: its facts, its form, its password, its keys, its audit lines, and its deletion. */
import { KeyRound, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { RoleBadge } from '../parts/role-badge.tsx'
import { Ago } from '../parts/time.tsx'
import { loadAuditOf } from '../state/audit.ts'
import { type Client, deleteClient } from '../state/clients.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { session } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { ClientForm } from './client-form.tsx'
import { ClientKeys } from './client-keys.tsx'
import { NewPassword } from './new-password.tsx'

interface AccessPanelProps {
  readonly client: Client
  readonly isLastAdmin: boolean
  readonly onChanged: () => void
  /** Called with the new id if the login was renamed. */
  readonly onClose: (renamed?: string) => void
}

export function AccessPanel({ client, isLastAdmin, onChanged, onClose }: AccessPanelProps) {
  const t = useTexts('access')
  const texts = useTexts('clients')
  const keys = useTexts('keys')
  const [dialog, setDialog] = useState<'password' | 'delete' | null>(null)
  const { deviseId, role, description, lastLoginDate = null } = client
  const isYou = deviseId === session.value?.deviceId
  const whyNot = isYou ? texts.yourself : isLastAdmin ? texts.lastAdmin : null
  return (
    <>
      {/* Before the panel, so that the panel is removed last and returns the focus to its row. */}
      {dialog === 'password' && <NewPassword client={client} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && (
        <Confirm
          title={texts.deleteTitle({ id: deviseId })}
          action={texts.delete}
          typed={deviseId}
          isDanger
          run={() => deleteClient(client.id)}
          onDone={() => {
            showToast({ text: t.deleted({ id: deviseId }) })
            onChanged()
            onClose()
          }}
          onClose={() => setDialog(null)}
        >
          <p>{texts.deleteAsk}</p>
        </Confirm>
      )}
      <Dialog title={deviseId} isSide onClose={() => onClose()}>
        <p>
          <RoleBadge role={role} /> {isYou && <small class="muted">{texts.you}</small>}
        </p>
        <p class="muted">
          {t.lastLogin}: <Ago at={lastLoginDate} />
        </p>
        {role === 'DEVISE' && (
          <p>
            <a href={links.device(deviseId)}>{t.toDevice}</a>
          </p>
        )}
        {session.value?.role === 'READER' && description !== '' && <p>{description}</p>}
        <AdminOnly>
          <ClientForm client={client} isLastAdmin={isLastAdmin} onSaved={onChanged} onRenamed={onClose} />
          <section>
            <h3>{t.password}</h3>
            <button type="button" class="quiet" onClick={() => setDialog('password')}>
              <KeyRound size={15} aria-hidden="true" /> {texts.newPassword}
            </button>
          </section>
          <section>
            <h3>{keys.open}</h3>
            <ClientKeys client={client} />
          </section>
        </AdminOnly>
        <Lines of={deviseId} />
        <AdminOnly>
          <section>
            <button
              type="button"
              class="danger"
              disabled={whyNot !== null}
              aria-describedby={whyNot === null ? undefined : 'why-not'}
              onClick={() => setDialog('delete')}
            >
              <Trash2 size={15} aria-hidden="true" /> {texts.delete}
            </button>
            {whyNot !== null && (
              <p id="why-not" class="muted">
                {whyNot}
              </p>
            )}
          </section>
        </AdminOnly>
      </Dialog>
    </>
  )
}

/** Maximum audit lines in the panel. */
const LINES = 5

function Lines({ of }: { of: string }) {
  const t = useTexts('audit')
  const texts = useTexts('access')
  const lines = useResource(`audit-of/${of}`, () => loadAuditOf(of, LINES))
  return (
    <section>
      <h3>{t.title}</h3>
      <Loaded from={lines}>
        {(all) =>
          all.length === 0 ? (
            <p class="muted">{t.empty}</p>
          ) : (
            <ul class="audit-lines">
              {all.map(({ id, date, deviseId, action }) => (
                <li key={id}>
                  <Ago at={date} /> <strong lang="en">{action}</strong>
                  <span class="id">{deviseId ?? t.noClient}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <a href={links.system('audit', { object: of })}>{texts.allLines}</a>
    </section>
  )
}
