/** Derives the parts of statements and calls with the terms of a message from the table of terms. */
import {
  type StoredTermValues,
  snakeCase,
  TEMPLATE_TERM_LIST,
  TERM_LIST,
  type TemplateTerms,
  type TermName,
  type Terms,
} from '../../../broker/vocabulary/term-table.ts'
import { decodeText, encodeText } from '../database/text.ts'

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** Terms as members of `enqueue_call`. */
export type TermsCall = { readonly [Name in TermName as SnakeCase<Name>]: Terms[Name] }

const CALL_LIST = TERM_LIST.map((term) => ({
  ...term,
  member: snakeCase(term.name),
}))

/** Members of the type `enqueue_call`. */
export const TERM_MEMBERS = CALL_LIST.map(
  ({ member, type }) => `${member} ${type === 'text' ? 'text' : 'int'}`,
).join(', ')

/** Columns of `messages`. */
export const TERM_COLUMNS = CALL_LIST.map(({ column }) => column).join(', ')

/** Values of the columns, for a call `c` and the time `v_now`. */
export const TERM_VALUES = CALL_LIST.map(({ member, isTime }) =>
  isTime ? `v_now + c.${member} * 1000::bigint` : `c.${member}`,
).join(', ')

/** Columns of a message `m`, named like the stored values. */
export const STORED_TERMS = CALL_LIST.map(({ column, storedAs }) => `m.${column} AS "${storedAs}"`).join(', ')

/** Columns of `templates`, and the members of the record `t` from which they are stored. */
export const TEMPLATE_TERM_SQL = {
  columns: TEMPLATE_TERM_LIST.map(({ column }) => column).join(', '),
  members: TEMPLATE_TERM_LIST.map(({ name, type }) => `"${name}" ${type === 'text' ? 'text' : 'int'}`).join(
    ', ',
  ),
  values: TEMPLATE_TERM_LIST.map(({ name }) => `t."${name}"`).join(', '),
  changes: TEMPLATE_TERM_LIST.map(({ name, column }) => `${column} = t."${name}"`).join(', '),
  /** Columns of a template `t`, named as its members. */
  selected: TEMPLATE_TERM_LIST.map(({ name, column }) => `t.${column} AS "${name}"`).join(', '),
}

/** Converts the texts among the terms of a template. */
export function templateTerms(terms: TemplateTerms, convert: (text: string) => string): TemplateTerms {
  return Object.fromEntries(
    TEMPLATE_TERM_LIST.map(({ name }) => {
      const value: number | string | null = terms[name]
      return [name, typeof value === 'string' ? convert(value) : value]
    }),
  ) as unknown as TemplateTerms
}

export function termsCall(terms: Terms): TermsCall {
  return Object.fromEntries(
    CALL_LIST.map(({ name, member, type }) => [
      member,
      type === 'text' ? encodeText(terms[name] as never) : terms[name],
    ]),
  ) as unknown as TermsCall
}

/** Returns the terms of a row that {@link STORED_TERMS} selected. */
export function decodeTerms(row: StoredTermValues): StoredTermValues {
  return Object.fromEntries(
    CALL_LIST.map(({ storedAs, type }) => [
      storedAs,
      type === 'text' ? decodeText(row[storedAs] as never) : row[storedAs],
    ]),
  ) as StoredTermValues
}
