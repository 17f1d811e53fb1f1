/** Searches texts for a substring: in JavaScript, and in the forms that SQL compares. */

/**
 * Returns the forms of a substring to search for, with ASCII letters in lower case: as typed, in lower case and
 * capitalized. SQL lowers ASCII letters only, so other letters match in these forms only.
 */
export function formsOf(part: string): readonly string[] {
  const lower = part.toLowerCase()
  const [first = ''] = lower
  const capitalized = first.toUpperCase() + lower.slice(first.length)
  return [...new Set([part, lower, capitalized].map(inLowerCase))]
}

/** Returns whether a text contains one of the forms of a substring. */
export function contains(text: string, forms: readonly string[]): boolean {
  const lower = inLowerCase(text)
  return forms.some((form) => lower.includes(form))
}

/** Lowers ASCII letters only, so that a text keeps its number of characters. */
export function inLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
