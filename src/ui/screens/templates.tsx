/** Lists templates, and creates, changes, sends and deletes them. */

import { FileStack, Plus, SearchX } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { EMPTY_DRAFT } from '../state/draft.ts'
import { formatJson } from '../state/json.ts'
import { linkTo, navigate, query } from '../state/location.ts'
import { loadMessage } from '../state/message.ts'
import { useResource } from '../state/resource.ts'
import { mayChange } from '../state/session.ts'
import {
  contentOf,
  createTemplate,
  deleteTemplate,
  loadTemplates,
  type Template,
  type TemplateContent,
} from '../state/templates.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { TemplateDialog } from './template-dialog.tsx'
import { TemplatesTable } from './templates-table.tsx'

interface Edited {
  readonly title: string
  readonly content: TemplateContent
  /** Template to change; null creates one. */
  readonly id: number | null
}

const EMPTY: TemplateContent = {
  clientId: null,
  description: null,
  command: '',
  data: EMPTY_DRAFT.data,
  guarantee: EMPTY_DRAFT.guarantee,
}

export function Templates() {
  const frame = useTexts('shell')
  const t = useTexts('templates')
  const common = useTexts('common')
  const textOf = useProblemText()
  const { search = '', messageId } = query.value
  const templates = useResource('templates', loadTemplates)
  const [edited, setEdited] = useState<Edited | null>(null)
  const close = (): void => setEdited(null)
  // Another person may have changed them while this tab was in the background.
  useEffect(() => {
    addEventListener('focus', templates.reload)
    return () => removeEventListener('focus', templates.reload)
  }, [])
  useEffect(() => {
    if (messageId === undefined || !mayChange.peek()) return
    navigate(linkTo('/templates', { search }), { replace: true })
    startFrom(Number(messageId)).catch(fail)
  }, [messageId])

  async function startFrom(id: number): Promise<void> {
    const { command, deliveryGuarantee: guarantee, data } = await loadMessage(id)
    setEdited({
      title: t.create,
      id: null,
      content: { ...EMPTY, command, guarantee, data: formatJson(data) },
    })
  }
  function fail(error: unknown): void {
    showToast({ text: textOf(error), tone: 'bad' })
  }
  async function remove(template: Template): Promise<void> {
    const content = contentOf(template)
    const restore = (): void => void createTemplate(content).then(templates.reload, fail)
    await deleteTemplate(template.id)
    showToast({
      text: t.deleted({ name: template.description || template.command }),
      action: { label: common.undo, run: restore },
    })
    templates.reload()
  }
  function act(action: 'edit' | 'copy' | 'delete', template: Template): void {
    const content = { ...contentOf(template), data: formatJson(template.data) }
    switch (action) {
      case 'edit':
        setEdited({ title: t.edit, id: template.id, content })
        break
      case 'copy':
        setEdited({ title: t.copy, id: null, content })
        break
      case 'delete':
        remove(template).catch(fail)
        break
      default:
        action satisfies never
    }
  }

  const create = (
    <button type="button" onClick={() => setEdited({ title: t.create, id: null, content: EMPTY })}>
      <Plus size={16} aria-hidden="true" /> {t.create}
    </button>
  )
  return (
    <>
      <Heading title={frame.templates} actions={<AdminOnly>{create}</AdminOnly>} />
      <Loaded from={templates}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={FileStack} title={t.empty}>
              <p>{t.emptyHint}</p>
            </Empty>
          ) : (
            <>
              <search class="filters">
                <FilterField
                  label={t.search}
                  value={search}
                  isMain
                  onApply={(value) => navigate(linkTo('/templates', { search: value }), { replace: true })}
                />
              </search>
              <Found templates={all.filter((each) => contains(each, search))} onAction={act} />
            </>
          )
        }
      </Loaded>
      {edited && (
        <TemplateDialog
          {...edited}
          onClose={close}
          onDone={() => {
            close()
            templates.reload()
          }}
        />
      )}
    </>
  )
}

interface FoundProps {
  readonly templates: readonly Template[]
  readonly onAction: (action: 'edit' | 'copy' | 'delete', template: Template) => void
}

function Found({ templates, onAction }: FoundProps) {
  const t = useTexts('templates')
  if (templates.length === 0) return <Empty icon={SearchX} title={t.noneFound} />
  // Only an own action changes the list. Its result is shown at once, even while the pointer is on the table.
  const listKey = templates.map(({ id }) => id).join()
  return <TemplatesTable templates={templates} listKey={listKey} onAction={onAction} />
}

function contains({ deviseId, command, description }: Template, search: string): boolean {
  const wanted = search.toLowerCase()
  return [deviseId ?? '', command, description].some((each) => each.toLowerCase().includes(wanted))
}
