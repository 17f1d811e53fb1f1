/** Lets the user choose the columns and the density of a table, and in a narrow table also the sort. */
import { Settings2 } from 'lucide-preact'
import { useId, useRef, useState } from 'preact/hooks'
import { chooseForTable, tableChoices } from '../../state/table-choices.ts'
import { useTexts } from '../../texts/texts.ts'
import { Popover } from '../popover.tsx'
import type { Column, Sort } from './columns.ts'
import { isHidden } from './fitting.ts'

interface OptionsProps<R> {
  readonly name: string
  readonly columns: readonly Column<R>[]
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  readonly isNarrow: boolean
}

export function Options<R>(props: OptionsProps<R>) {
  const t = useTexts('table')
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon"
        aria-label={t.options}
        title={t.options}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Settings2 size={16} aria-hidden="true" />
      </button>
      {isOpen && (
        <Popover anchor={button} label={t.options} onClose={() => setOpen(false)}>
          <div class="options">
            {props.isNarrow ? <SortChoice {...props} /> : <ColumnChoice {...props} />}
            <DensityChoice name={props.name} />
          </div>
        </Popover>
      )}
    </>
  )
}

function ColumnChoice<R>({ name, columns }: OptionsProps<R>) {
  const t = useTexts('table')
  const { hidden } = tableChoices(name).value
  const choose = (key: string, isShown: boolean): void => {
    const now = columns.filter((each) => isHidden(each, hidden)).map((each) => each.key)
    chooseForTable(name, { hidden: isShown ? now.filter((each) => each !== key) : [...now, key] })
  }
  return (
    <fieldset>
      <legend>{t.columns}</legend>
      {columns.slice(1).map((column) => (
        <label key={column.key}>
          <input
            type="checkbox"
            checked={!isHidden(column, hidden)}
            onChange={({ currentTarget }) => choose(column.key, currentTarget.checked)}
          />
          {column.title}
        </label>
      ))}
    </fieldset>
  )
}

function SortChoice<R>({ columns, sort, onSort }: OptionsProps<R>) {
  const t = useTexts('table')
  const group = useId()
  const sortable = columns.filter((column) => column.sort)
  if (!onSort || sortable.length === 0) return null
  return (
    <fieldset>
      <legend>{t.sort}</legend>
      {sortable.map(({ key, title, sort: first }) => (
        <label key={key}>
          <input
            type="radio"
            name={group}
            checked={sort?.key === key}
            onChange={() => onSort({ key, isDescending: first === 'descending' })}
          />
          {title}
        </label>
      ))}
    </fieldset>
  )
}

function DensityChoice({ name }: { name: string }) {
  const t = useTexts('table')
  const group = useId()
  const { isDense } = tableChoices(name).value
  const choice = (value: boolean, label: string) => (
    <label>
      <input
        type="radio"
        name={group}
        checked={isDense === value}
        onChange={() => chooseForTable(name, { isDense: value })}
      />
      {label}
    </label>
  )
  return (
    <fieldset>
      <legend>{t.density}</legend>
      {choice(false, t.roomy)}
      {choice(true, t.dense)}
    </fieldset>
  )
}
