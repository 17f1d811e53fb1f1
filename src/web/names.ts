/** When a path segment and a module's or class's name mean the same. Knows no tree. */

/** Kebab forms of the names that were asked for, since a few are asked for with each request. */
const forms = new Map<string, string>()
const MOST_FORMS = 256

/** `getLastMessage`, `GetLastMessage`, `get_last_message` and `get.last.message` all give `get-last-message`. */
export function kebab(name: string): string {
  if (isKebab(name)) return name
  const known = forms.get(name)
  if (known !== undefined) return known
  const form = name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1-$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .replace(/[._]/g, '-')
    .toLowerCase()
  if (forms.size === MOST_FORMS) forms.clear()
  forms.set(name, form)
  return form
}

/** Whether `name` is its own kebab form at a glance: lower-case ASCII, digits and dashes. Most arguments are. */
function isKebab(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i)
    if (!((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c === 0x2d)) return false
  }
  return true
}

/** The spelling of a class's segment in lists and docs: `GetLastMessage` → `getLastMessage`, `Foo_txt` → `foo.txt`. */
export function segmentOf(className: string): string {
  const head = className.match(/^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+/u)?.[0] ?? ''
  return (head.toLowerCase() + className.slice(head.length)).replace(/_/g, '.')
}
