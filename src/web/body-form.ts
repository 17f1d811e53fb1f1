/** Determines how a method receives its body: parsed into keyword arguments, as bytes, or as a stream. Runs at load. */
import { type ByVerb, RuleError } from './by-verb.ts'
import { type Signature, SignatureError } from './signature.ts'

/** Form in which the keyword argument `body` of a method arrives. */
export type BodyForm = 'raw' | 'stream'

const BODY = 'body'

/** Checks `static body`. @throws {RuleError} */
export function parseBodyForm(declared: unknown): BodyForm {
  if (declared === 'raw' || declared === 'stream') return declared
  throw new RuleError("must be 'raw' or 'stream'")
}

/** Checks `static bodyLimit`. @throws {RuleError} */
export function parseBodyLimit(declared: unknown): number {
  if (Number.isSafeInteger(declared) && (declared as number) >= 1) return declared as number
  throw new RuleError(`must be a number of bytes, from 1 to ${Number.MAX_SAFE_INTEGER}`)
}

/**
 * Returns the form in which a method receives its body. A form declared for all methods applies only to methods with
 * the argument `body`; a form declared for a verb always applies.
 */
export function bodyFormOf(forms: ByVerb<BodyForm>, verb: string, signature: Signature): BodyForm | null {
  const form = forms.for(verb) ?? null
  return namesBody(signature) || [...forms.verbs].includes(verb) ? form : null
}

function namesBody({ keywords }: Signature): boolean {
  return keywords?.some(({ name }) => name === BODY) ?? false
}

/**
 * Returns a signature without the keyword argument `body`, which is never read from the query.
 *
 * @throws {SignatureError} for a method without that argument, or with a schema for it
 */
export function withoutBody(signature: Signature, form: BodyForm, members: object): Signature {
  if (!namesBody(signature)) {
    throw new SignatureError(`static body is '${form}', so its last parameter must be like { ${BODY} }`)
  }
  if (Object.hasOwn(members, BODY)) {
    throw new SignatureError(
      `static body is '${form}', so static keywords must not have ${BODY}. Remove it there`,
    )
  }
  return { ...signature, keywords: signature.keywords?.filter(({ name }) => name !== BODY) ?? null }
}
