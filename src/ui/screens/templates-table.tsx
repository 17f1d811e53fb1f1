/** Shows templates in one table per device. */

import { Copy, SearchX, Send, Trash2 } from 'lucide-preact'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Empty } from '../parts/loaded.tsx'
import { links } from '../state/location.ts'
import type { Template } from '../state/templates.ts'
import { useTexts } from '../texts/texts.ts'

export type TemplateAction = 'send' | 'copy' | 'delete'

interface ByDeviceProps {
  readonly templates: readonly Template[]
  readonly onAction: (action: TemplateAction, template: Template) => void
}

export function TemplatesByDevice({ templates, onAction }: ByDeviceProps) {
  const t = useTexts('templates')
  if (templates.length === 0) return <Empty icon={SearchX} title={t.noneFound} />
  const groups = new Map<string, Template[]>()
  for (const each of templates) {
    const { deviseId } = each
    groups.set(deviseId, [...(groups.get(deviseId) ?? []), each])
  }
  return (
    <>
      {[...groups]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([deviceId, own]) => (
          <section key={deviceId}>
            <h2 class="id">
              <a href={links.device(deviceId)}>{deviceId}</a>
            </h2>
            <TemplatesTable templates={own} onAction={onAction} />
          </section>
        ))}
    </>
  )
}

function TemplatesTable({ templates, onAction }: ByDeviceProps) {
  const t = useTexts('templates')
  const common = useTexts('common')
  const guarantees = useTexts('guarantees')
  return (
    <div class="card table templates">
      <table>
        <thead>
          <tr>
            <th scope="col">{common.command}</th>
            <th scope="col">{t.description}</th>
            <th scope="col">{t.data}</th>
            <th scope="col">
              <span class="visually-hidden">{common.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {templates.map((template) => (
            <tr key={template.id}>
              <th scope="row" data-label={common.command}>
                <span>
                  <span class="id">{template.command}</span>
                  <small class="muted" title={template.deliveryGuarantee}>
                    {guarantees[template.deliveryGuarantee]}
                  </small>
                </span>
              </th>
              <td data-label={t.description}>{template.description}</td>
              <td data-label={t.data} class="clip id muted">
                {template.data}
              </td>
              <td class="number">
                <AdminOnly>
                  <span class="actions">
                    <button type="button" class="small" onClick={() => onAction('send', template)}>
                      <Send size={14} aria-hidden="true" /> {t.send}
                    </button>
                    <button type="button" class="small quiet" onClick={() => onAction('copy', template)}>
                      <Copy size={14} aria-hidden="true" /> {t.copy}
                    </button>
                    <button
                      type="button"
                      class="icon"
                      aria-label={t.delete}
                      title={t.delete}
                      onClick={() => onAction('delete', template)}
                    >
                      <Trash2 size={15} aria-hidden="true" />
                    </button>
                  </span>
                </AdminOnly>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
