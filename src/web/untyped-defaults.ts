/** Finds parameters whose type in the source promises more than a request gives. Runs at load. */
import type { Handler } from './handler.ts'
import { lineOf, type TreeWarning } from './look-alikes.ts'

/**
 * Yields a warning for each parameter without a schema whose default is a number, boolean or list, and for each `id?`,
 * which TypeScript removes: at run time the argument is required.
 */
export function* untypedDefaults(handler: Handler, source: string): Generator<TreeWarning> {
  for (const text of textsOf(handler, source)) yield { file: handler.file, ignoredClass: null, text }
}

function* textsOf(handler: Handler, source: string): Generator<string> {
  for (const [verb, { signature, positionals, keywords }] of handler.verbs) {
    const at = `${handler.file}${lineOfMethod(source, handler.endpoint.name as string, verb)}: class ${handler.name}`
    for (const { name, optional } of signature.positionals) {
      if (
        !optional &&
        new RegExp(`\\b${verb}\\s*\\([^{)]*\\b${name.replaceAll('$', '\\$')}\\s*\\?\\s*[:,)]`).test(source)
      )
        yield `${at}, ${verb}(${name}?): the path needs ${name}, because the mark is gone at run time. Give it a default: ${name} = ''`
    }
    for (const { name, nonText } of positionals ? [] : signature.positionals) {
      if (nonText !== null)
        yield `${at}, ${verb}(${name} = ${nonText}): without a schema ${name} arrives as text. Add static positionals`
    }
    for (const { name, nonText } of (keywords ? null : signature.keywords) ?? []) {
      if (nonText !== null)
        yield `${at}, ${verb}({ ${name} = ${nonText} }): without a schema ${name} arrives as text from a query or a form. Add static keywords`
    }
  }
  for (const nested of handler.nested.values()) yield* textsOf(nested, source)
}

/** Returns `:LINE` of a method; empty if the file does not declare it, as for an inherited method. */
function lineOfMethod(source: string, className: string, verb: string): string {
  const start = source.search(new RegExp(`\\bclass\\s+${className}\\b`))
  return start < 0 ? '' : lineOf(source, new RegExp(`(?<![.\\w$])${verb}\\s*\\(`), start)
}
