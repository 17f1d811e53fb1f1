/** Checks the `access` that a class or folder declares. */
import { RuleError } from './by-verb.ts'

/** Checked access rule. The caller must have one of the roles of a list. */
export type AccessRule = 'public' | 'any' | readonly string[]

/** Checks the access of a class or folder: `'public'`, `'any'`, a role, or a list of roles. @throws {RuleError} */
export function parseAccess(declared: unknown): AccessRule {
  if (declared === 'public' || declared === 'any') return declared
  const roles = typeof declared === 'string' ? [declared] : declared
  const areNames = Array.isArray(roles) && roles.every((role) => typeof role === 'string' && role !== '')
  if (!areNames || roles.length === 0 || roles.some((role) => role === 'public' || role === 'any')) {
    throw new RuleError("must be 'public', 'any', the name of a role or a list of roles")
  }
  return roles as string[]
}

/**
 * Returns the most permissive rule. It applies to verbs that a class lacks, so a 405 does not reveal a class to callers
 * who may use none of its methods.
 *
 * @param declared null for a method whose class and folders declare no access
 */
export function mostOpen(declared: readonly (AccessRule | null)[]): AccessRule | null {
  if (declared.includes('public')) return 'public'
  if (declared.includes(null)) return null
  if (declared.includes('any')) return 'any'
  return declared.length === 0 ? null : [...new Set(declared.flatMap((roles) => roles as string[]))]
}

/** Formats an access rule for lists of routes: `MAN|READER`. */
export function accessInWords(rule: AccessRule): string {
  return typeof rule === 'string' ? rule : rule.join('|')
}
