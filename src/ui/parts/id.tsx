/** Shows an id in one line. A long id is shortened in the middle, is complete in its title, and can be copied. */

import { CopyIcon } from './copy-button.tsx'
import type { CutId } from './cut-ids.ts'
import { cutId } from './cut-ids.ts'

interface IdProps {
  readonly id: string
  /** Shortened form that differs from the other ids of the table. */
  readonly cut?: CutId | undefined
  readonly link?: string | undefined
  /** Marks the link that opens the row. */
  readonly isRowLink?: boolean
}

export function Id({ id, cut = cutId(id), link, isRowLink = false }: IdProps) {
  const text = cut.tail === '' ? id : <CutText id={id} cut={cut} />
  const content =
    link === undefined ? (
      <span class="id one-line" title={id}>
        {text}
      </span>
    ) : (
      <a class={isRowLink ? 'id one-line row-link' : 'id one-line'} href={link} title={id}>
        {text}
      </a>
    )
  if (cut.tail === '') return content
  return (
    <span class="cut">
      {content}
      <CopyIcon text={id} />
    </span>
  )
}

/**
 * Keeps the end of the id visible if the cell is narrower than the shortened id. A screen reader reads the whole id.
 */
function CutText({ id, cut: { head, tail } }: { id: string; cut: CutId }) {
  return (
    <>
      <span class="cut-head" aria-hidden="true">
        {head}…
      </span>
      <span aria-hidden="true">{tail}</span>
      <span class="visually-hidden">{id}</span>
    </>
  )
}
