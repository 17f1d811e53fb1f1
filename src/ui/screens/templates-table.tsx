/** Shows templates in one table. A row opens the send form, filled. */
import { Copy, Pencil, Send, Trash2 } from 'lucide-preact'
import type { MenuItem } from '../parts/menu.tsx'
import type { Column } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { links } from '../state/location.ts'
import { mayChange } from '../state/session.ts'
import type { Template } from '../state/templates.ts'
import { useTexts } from '../texts/texts.ts'

/** Length of the data that a row shows. */
const DATA_SHOWN = 120

interface TemplatesTableProps {
  readonly templates: readonly Template[]
  readonly listKey: string
  readonly onAction: (action: 'edit' | 'copy' | 'delete', template: Template) => void
}

export function TemplatesTable({ templates, listKey, onAction }: TemplatesTableProps) {
  const t = useTexts('templates')
  const frame = useTexts('shell')
  const columns = useColumns()
  const sendLink = ({ id }: Template): string => links.send({ templateId: String(id) })
  const menuOf = (template: Template): readonly MenuItem[] => [
    { label: t.send, icon: Send, link: sendLink(template) },
    { label: t.edit, icon: Pencil, run: () => onAction('edit', template) },
    { label: t.copy, icon: Copy, run: () => onAction('copy', template) },
    { label: t.delete, icon: Trash2, isDanger: true, run: () => onAction('delete', template) },
  ]
  return (
    <Table
      name="templates"
      label={frame.templates}
      columns={columns}
      rows={templates}
      keyOf={({ id }) => String(id)}
      listKey={listKey}
      {...(mayChange.value && { linkOf: sendLink, menuOf })}
    />
  )
}

function useColumns(): readonly Column<Template>[] {
  const t = useTexts('templates')
  const common = useTexts('common')
  const guarantees = useTexts('guarantees')
  const list = useTexts('messages')
  return [
    {
      key: 'name',
      title: t.name,
      render: ({ description, command }) => <span title={description}>{description || command}</span>,
      share: 3,
      narrow: 'title',
    },
    {
      key: 'device',
      title: common.device,
      render: ({ deviseId }) =>
        deviseId === null ? (
          <span class="muted">{t.anyDevice}</span>
        ) : (
          <a class="id" href={links.device(deviseId)} title={deviseId}>
            {deviseId}
          </a>
        ),
      share: 3,
      narrow: 'detail',
    },
    {
      key: 'command',
      title: common.command,
      render: ({ command }) => (
        <span class="id" title={command}>
          {command}
        </span>
      ),
      share: 3,
      narrow: 'detail',
    },
    {
      key: 'data',
      title: t.data,
      render: ({ data }) => <span class="id">{data.replace(/\s+/g, ' ').slice(0, DATA_SHOWN)}</span>,
      share: 4,
    },
    {
      key: 'guarantee',
      title: list.guarantee,
      render: ({ deliveryGuarantee }) => <span class="muted">{guarantees[deliveryGuarantee]}</span>,
      share: 2,
    },
  ]
}
