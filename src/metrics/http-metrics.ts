/**
 * Counts the HTTP exchanges by method, route and status. All label values come from closed lists. Knows no text format.
 */
import { Durations, WORK_BOUNDS } from '../broker/vocabulary/durations.ts'
import { KNOWN_METHODS } from '../web/by-verb.ts'
import type { Observe } from '../web/types.ts'

/** Label value of a path without a class, and of an unknown method. */
export const OTHER = 'other'

export interface HttpCell {
  readonly method: string
  readonly route: string
  readonly status: string
  exchanges: number
  /** Times of the exchanges, without long-polling requests. */
  readonly durations: Durations
}

/** Query of a long-polling request, whose time says nothing about the server. */
const WAITS = /(?:^|&)wait=/

export class HttpMetrics {
  readonly #cells = new Map<string, Map<string, Map<number, HttpCell>>>()

  /** Counts an exchange. Allocates an object only for a new combination of labels. */
  readonly observe: Observe = ({ method, route, query }, status, ms) => {
    const known = route ? method : knownMethod(method)
    const cell = this.#cell(route ?? OTHER, known, status)
    cell.exchanges++
    if (query === '' || !WAITS.test(query)) cell.durations.observe(ms / 1_000)
  }

  cells(): HttpCell[] {
    return [...this.#cells.values()].flatMap((methods) =>
      [...methods.values()].flatMap((statuses) => [...statuses.values()]),
    )
  }

  #cell(route: string, method: string, status: number): HttpCell {
    const found = this.#cells.get(route)?.get(method)?.get(status)
    return found ?? this.#newCell(route, method, status)
  }

  #newCell(route: string, method: string, status: number): HttpCell {
    const methods = this.#cells.get(route) ?? new Map<string, Map<number, HttpCell>>()
    const statuses = methods.get(method) ?? new Map<number, HttpCell>()
    const durations = new Durations(WORK_BOUNDS)
    const cell: HttpCell = { method, route, status: String(status), exchanges: 0, durations }
    this.#cells.set(route, methods.set(method, statuses.set(status, cell)))
    return cell
  }
}

function knownMethod(method: string): string {
  return KNOWN_METHODS.has(method) ? method : OTHER
}
