/** Compares path segments with the names of modules and classes, by their kebab forms. Knows no tree. */

/** Cache of kebab forms, because each request looks up several. */
const kebabForms = new Map<string, string>()
const MAX_FORMS = 256

/**
 * Returns the kebab form of a name, which keeps a dot at its beginning. `getLastMessage`, `GetLastMessage`,
 * `get_last_message` and `get.last.message` have the form `get-last-message`.
 */
export function kebab(name: string): string {
  if (isKebab(name)) return name
  const known = kebabForms.get(name)
  if (known !== undefined) return known
  // Some file systems decompose letters (NFD). URLs have them composed.
  const form = name
    .normalize('NFC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1-$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .replace(/(?!^)[._]/g, '-')
    .toLowerCase()
  if (kebabForms.size === MAX_FORMS) kebabForms.clear()
  kebabForms.set(name, form)
  return form
}

/** Returns whether `name` consists of lower-case ASCII letters, digits and dashes only, as most segments do. */
function isKebab(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i)
    if (!((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c === 0x2d)) return false
  }
  return true
}

/**
 * Returns the segment of a class in the spelling of lists and docs: `GetLastMessage` → `getLastMessage`, `Foo_txt` →
 * `foo.txt`.
 */
export function segmentOf(className: string): string {
  const head = className.match(/^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+/u)?.[0] ?? ''
  return (head.toLowerCase() + className.slice(head.length)).replace(/_/g, '.')
}
