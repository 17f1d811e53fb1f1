/** Keeps in this browser which columns each table shows, and how dense its rows are. */
import { type Signal, signal } from '@preact/signals'

export interface TableChoices {
  /** Keys of the hidden columns; null until the user chooses. */
  readonly hidden: readonly string[] | null
  readonly isDense: boolean
}

const NONE: TableChoices = { hidden: null, isDense: false }
const tables = new Map<string, Signal<TableChoices>>()

const keyOf = (table: string): string => `waybill.table.${table}`

/** Returns the choices for a table. A component that reads them is rendered again when they change. */
export function tableChoices(table: string): Signal<TableChoices> {
  const known = tables.get(table)
  if (known) return known
  const choices = signal(read(table))
  tables.set(table, choices)
  return choices
}

export function chooseForTable(table: string, change: Partial<TableChoices>): void {
  const choices = tableChoices(table)
  choices.value = { ...choices.value, ...change }
  localStorage.setItem(keyOf(table), JSON.stringify(choices.value))
}

/** Reads the stored choices. An invalid text, written by another release, counts as no choice. */
function read(table: string): TableChoices {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(table)) ?? '{}') as Partial<TableChoices>
    return { hidden: Array.isArray(kept.hidden) ? kept.hidden : null, isDense: kept.isDense === true }
  } catch {
    return NONE
  }
}
