/** Reads the hand-over as the text that a person pastes, and takes it apart for the screen. */
import { RequestError } from '../../client/index.ts'
import type { Locale } from '../texts/languages.ts'
import { call } from './session.ts'

export const SINCE = ['evening', 'last', '24h', '7d'] as const
export type Since = (typeof SINCE)[number]

/** Part of the text: its name, its numbers, and a line for each item. */
export interface HandoverPart {
  readonly name: string
  readonly numbers: string
  readonly items: readonly string[]
}

export interface Handover {
  readonly text: string
  readonly title: string
  readonly parts: readonly HandoverPart[]
}

const HOUR_MS = 3_600_000
const EVENING_HOUR = 20
const ITEM = '- '

/** Returns the hand-over since a time; null if the server knows no earlier sign-in of the person. */
export async function loadHandover(since: Since, language: Locale): Promise<Handover | null> {
  const now = new Date()
  const query = { from: fromOf(since, now), language, utcOffset: -now.getTimezoneOffset() }
  const options = { params: { query }, headers: { accept: 'text/plain, application/problem+json' } }
  try {
    const text = await call((api) => api.GET('/admin/api/handover', { ...options, parseAs: 'text' }))
    return partsOf(text as string)
  } catch (error) {
    if (since === 'last' && error instanceof RequestError && error.status === 400) return null
    throw error
  }
}

/** Returns the begin of the range: 20:00 of the day before, in the time zone of the browser. */
function fromOf(since: Since, now: Date): number | 'last' {
  switch (since) {
    case 'evening':
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, EVENING_HOUR).getTime()
    case 'last':
      return 'last'
    case '24h':
      return now.getTime() - 24 * HOUR_MS
    case '7d':
      return now.getTime() - 7 * 24 * HOUR_MS
    default:
      return since satisfies never
  }
}

/** Takes the text apart: a title, then parts with a heading and items, with an empty line before each part. */
function partsOf(text: string): Handover {
  const [title = '', ...blocks] = text.trimEnd().split('\n\n')
  const parts = blocks.map((block) => {
    const [head = '', ...items] = block.split('\n')
    const [name = '', ...numbers] = head.split(': ')
    return { name, numbers: numbers.join(': '), items: items.map((item) => item.slice(ITEM.length)) }
  })
  return { text, title, parts }
}
