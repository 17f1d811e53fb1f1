/** Lists templates by device, and creates, sends and deletes them. */

import { FileStack, Plus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Payload } from '../parts/payload.tsx'
import { links, linkTo, navigate, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { deleteTemplate, loadTemplates, sendTemplate, type Template } from '../state/templates.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { NewTemplate } from './new-template.tsx'
import { type TemplateAction, TemplatesByDevice } from './templates-table.tsx'

type DialogState =
  | { readonly action: TemplateAction; readonly template: Template }
  | { readonly action: 'new' }

export function Templates() {
  const frame = useTexts('shell')
  const t = useTexts('templates')
  const search = query.value.search ?? ''
  const templates = useResource('templates', loadTemplates)
  const [dialog, setDialog] = useState<DialogState | null>(null)
  const close = (): void => setDialog(null)
  const done = (): void => {
    close()
    templates.reload()
  }
  return (
    <>
      <Heading
        title={frame.templates}
        actions={
          <AdminOnly>
            <button type="button" onClick={() => setDialog({ action: 'new' })}>
              <Plus size={16} aria-hidden="true" /> {t.create}
            </button>
          </AdminOnly>
        }
      />
      <p class="lead">{t.lead}</p>
      <Loaded from={templates}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={FileStack} title={t.empty}>
              <p>{t.emptyHint}</p>
            </Empty>
          ) : (
            <>
              <search class="filters">
                <label>
                  {t.search}
                  <input
                    type="search"
                    value={search}
                    onInput={({ currentTarget: { value } }) =>
                      navigate(linkTo('/templates', { search: value.trim() }), { replace: true })
                    }
                  />
                </label>
              </search>
              <TemplatesByDevice
                templates={all.filter((each) => contains(each, search))}
                onAction={(action, template) => setDialog({ action, template })}
              />
            </>
          )
        }
      </Loaded>
      {dialog?.action === 'new' && <NewTemplate onDone={done} onClose={close} />}
      {dialog?.action === 'copy' && <NewTemplate copyOf={dialog.template} onDone={done} onClose={close} />}
      {dialog?.action === 'send' && <SendDialog template={dialog.template} onClose={close} />}
      {dialog?.action === 'delete' && (
        <DeleteDialog template={dialog.template} onDone={done} onClose={close} />
      )}
    </>
  )
}

function contains({ deviseId, command, description }: Template, search: string): boolean {
  const wanted = search.toLowerCase()
  return [deviseId, command, description].some((each) => each.toLowerCase().includes(wanted))
}

interface SendDialogProps {
  readonly template: Template
  readonly onClose: () => void
}

function SendDialog({ template, onClose }: SendDialogProps) {
  const t = useTexts('templates')
  return (
    <Confirm
      title={template.description || template.command}
      action={t.send}
      run={async () => {
        const { id } = await sendTemplate(template.id)
        showToast({
          text: t.sent({ command: template.command, device: template.deviseId, id }),
          link: { href: links.message(id), label: t.toMessage },
        })
      }}
      textFor={(error) =>
        statusOf(error) === 429 ? t.queueFull : statusOf(error) === 404 ? t.gone : undefined
      }
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.sendAsk}</p>
      <p class="waybill">
        <span class="id">{template.deviseId}</span>
        <span aria-hidden="true">←</span>
        <strong class="id">{template.command}</strong>
      </p>
      <Payload json={template.data} />
    </Confirm>
  )
}

interface DeleteDialogProps {
  readonly template: Template
  readonly onDone: () => void
  readonly onClose: () => void
}

function DeleteDialog({ template, onDone, onClose }: DeleteDialogProps) {
  const t = useTexts('templates')
  const common = useTexts('common')
  return (
    <Confirm
      title={t.delete}
      action={common.delete}
      isDanger
      run={() => deleteTemplate(template.id)}
      textFor={(error) => (statusOf(error) === 404 ? t.gone : undefined)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        <strong class="id">{template.command}</strong> → <span class="id">{template.deviseId}</span>
      </p>
      <p>{t.deleteAsk}</p>
    </Confirm>
  )
}

const statusOf = (error: unknown): number | null => (error instanceof RequestError ? error.status : null)
