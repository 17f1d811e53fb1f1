/**
 * Reads all messages that match a search, newest first, in steps: each step is read after the previous one was sent.
 */

import type { MessageSearch, MessageSearches, SearchPage } from '../contract/message-search.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { ListedMessage, Messages } from './messages.ts'

const STEP = 100
const MAX_EXPORTS = 2

export interface MessageExportOptions {
  readonly searches: Pick<MessageSearches, 'page'>
  readonly messages: Pick<Messages, 'listed'>
}

/** Parts of an export. Its reader reads it to the end, or ends it with `return`. */
export type ExportedMessages = AsyncIterable<readonly ListedMessage[]>

export class MessageExports {
  readonly #options: MessageExportOptions
  #running = 0

  constructor(options: MessageExportOptions) {
    this.#options = options
  }

  /**
   * Begins an export and reads its first step, so that an error of the storage comes before the first part. A later
   * error rejects `next`: no part is ever omitted. Messages stored during the export are not included.
   *
   * @throws {BrokerError} export-running; storage errors
   */
  async open(search: MessageSearch): Promise<ExportedMessages> {
    if (this.#running >= MAX_EXPORTS) {
      throw new BrokerError(
        'export-running',
        `${MAX_EXPORTS} exports are running. Try again when one has ended.`,
      )
    }
    this.#running++
    const leaving = new AbortController()
    leaving.signal.addEventListener('abort', () => this.#running--)
    try {
      const first = await this.#read(search, leaving.signal)
      return { [Symbol.asyncIterator]: () => this.#parts(search, first, leaving) }
    } catch (error) {
      leaving.abort()
      throw error
    }
  }

  /** Returns a hand-written iterator, because the `return` of a generator that was never read would end nothing. */
  #parts(
    search: MessageSearch,
    first: SearchPage,
    leaving: AbortController,
  ): AsyncIterator<readonly ListedMessage[]> {
    let page: SearchPage | null = first
    const end = async (): Promise<{ done: true; value: undefined }> => {
      leaving.abort()
      return { done: true, value: undefined }
    }
    const next = async (): Promise<readonly ListedMessage[] | null> => {
      while (page !== null) {
        const { items, next: before }: SearchPage = page
        page = before === null ? null : { items: [], next: before, searchedToMs: null }
        if (items.length > 0) return await this.#options.messages.listed(items)
        if (before !== null) page = await this.#read({ ...search, before }, leaving.signal)
      }
      return null
    }
    return {
      next: async () => {
        try {
          const value = leaving.signal.aborted ? null : await next()
          return value === null ? await end() : { done: false, value }
        } catch (error) {
          await end()
          throw error
        }
      },
      return: end,
    }
  }

  #read(search: MessageSearch, signal: AbortSignal): Promise<SearchPage> {
    return this.#options.searches.page(search, STEP, signal)
  }
}
