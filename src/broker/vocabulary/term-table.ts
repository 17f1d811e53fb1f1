/**
 * Describes the terms of a message once: when it may be dispatched, and how long it may take. The statements of the
 * stores, the wire, the answers with details, the flags of `waybill send` and the body that the client sends derive
 * from this table. The client and the command line read this file too, so it imports nothing. docs: CONTRIBUTING.md,
 * "Adding a term of a message".
 */

/** Terms of a message. Durations are seconds. Null selects the default. */
export interface Terms {
  /** Time from storing after which the message is not dispatched. */
  readonly validSeconds: number | null
  /** Time from DELIVERED to a final status. Not allowed with the guarantee `NO`. */
  readonly finishSeconds: number | null
  /** Time from storing before which the message is not dispatched. */
  readonly delaySeconds: number | null
  /** Attempts before the message is parked. Null selects the limit of the device, else the general limit. */
  readonly maxAttempts: number | null
}

export type TermName = keyof Terms

interface Term {
  readonly type: 'integer' | 'text'
  /** Maximum number, or maximum characters. The minimum number is 1. */
  readonly maximum: number
  readonly description: string
  /** Help of the flag, whose name is derived from the term's name. */
  readonly flag: string
  readonly column: string
  readonly storedAs: string
  /** True if the stored value is the time at which the duration ends, in milliseconds since 1970. */
  readonly isTime: boolean
}

const MAX_SECONDS = 31_536_000

export const TERMS = {
  validSeconds: {
    type: 'integer',
    maximum: MAX_SECONDS,
    description: 'no dispatch after this time from storing',
    flag: 'do not dispatch the command after this time',
    column: 'expires_at_ms',
    storedAs: 'expiresAtMs',
    isTime: true,
  },
  finishSeconds: {
    type: 'integer',
    maximum: MAX_SECONDS,
    description: 'time from DELIVERED to a final status; not with guarantee NO',
    flag: 'time from DELIVERED in which the device must finish the command',
    column: 'finish_seconds',
    storedAs: 'finishSeconds',
    isTime: false,
  },
  delaySeconds: {
    type: 'integer',
    maximum: MAX_SECONDS,
    description: 'no dispatch before this time from storing; must be less than validSeconds',
    flag: 'do not dispatch the command before this time',
    column: 'due_at_ms',
    storedAs: 'dueAtMs',
    isTime: true,
  },
  maxAttempts: {
    type: 'integer',
    maximum: 100,
    description: 'attempts before the message is parked',
    flag: 'attempts before the command is parked',
    column: 'max_attempts',
    storedAs: 'maxAttempts',
    isTime: false,
  },
} as const satisfies Record<TermName, Term>

export const TERM_NAMES = Object.keys(TERMS) as readonly TermName[]
/** Terms that a template has. Both stores have a column for each in `templates`. */
export const TEMPLATE_TERM_NAMES = [
  'validSeconds',
  'finishSeconds',
  'maxAttempts',
] as const satisfies readonly TermName[]

/** Terms of a template, as its messages get them. Null selects the default. */
export type TemplateTerms = Pick<Terms, (typeof TEMPLATE_TERM_NAMES)[number]>

export const TEMPLATE_TERM_LIST = TEMPLATE_TERM_NAMES.map((name) => ({
  name,
  column: snakeCase(name),
  type: TERMS[name].type as Term['type'],
}))

export const TERM_LIST = TERM_NAMES.map((name): NamedTerm => ({ name, ...TERMS[name] }))

/** Terms with all defaults. */
export const NO_TERMS: Terms = termsFrom(() => null)

export interface NamedTerm extends Term {
  readonly name: TermName
  readonly storedAs: keyof StoredTermValues
}

/** Terms in the form that a store keeps. */
export type StoredTermValues = {
  readonly [Name in TermName as (typeof TERMS)[Name]['storedAs']]: Terms[Name]
}

/** Returns terms with the values that a function reads. An undefined value becomes null. */
export function termsFrom(read: (name: TermName) => Terms[TermName] | undefined): Terms {
  return Object.fromEntries(TERM_NAMES.map((name) => [name, read(name) ?? null])) as unknown as Terms
}

/** Returns the terms of a template among the members of an object. An undefined value becomes null. */
export function templateTermsOf(
  members: {
    readonly [Name in keyof TemplateTerms]?: Terms[Name] | undefined
  },
): TemplateTerms {
  return Object.fromEntries(
    TEMPLATE_TERM_NAMES.map((name) => [name, members[name] ?? null]),
  ) as unknown as TemplateTerms
}

/** Returns a name in the form of SQL. */
export function snakeCase(name: TermName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns whether all terms have their defaults. */
export function hasNoTerm(terms: Terms): boolean {
  return TERM_NAMES.every((name) => terms[name] === null)
}

/** Lists the terms without their defaults. Earlier terms keep their order when the table gets a new term. */
export function givenTerms(
  terms: Terms | null,
): readonly (readonly [name: TermName, value: Terms[TermName]])[] {
  if (terms === null) return []
  return TERM_NAMES.flatMap((name) => (terms[name] === null ? [] : [[name, terms[name]] as const]))
}

/** Converts terms to their stored form. @param atMs time at which the message is stored */
export function toStoredTerms(terms: Terms, atMs: number): StoredTermValues {
  const entries = TERM_LIST.map(({ name, storedAs, isTime }) => {
    const value = terms[name]
    return [storedAs, isTime && value !== null ? atMs + (value as number) * 1000 : value]
  })
  return Object.fromEntries(entries) as StoredTermValues
}

/** Returns the terms among the members of a row. */
export function storedTermsOf(row: StoredTermValues): StoredTermValues {
  return Object.fromEntries(TERM_LIST.map(({ storedAs }) => [storedAs, row[storedAs]])) as StoredTermValues
}

/** Converts stored terms to their original form. @param atMs time at which the message was stored */
export function fromStoredTerms(stored: StoredTermValues, atMs: number): Terms {
  return termsFrom((name) => {
    const { storedAs, isTime } = TERMS[name]
    const value = stored[storedAs]
    return isTime && value !== null ? Math.round(((value as number) - atMs) / 1000) : value
  })
}
