/** A row that opens what it is about: anywhere by mouse; by keyboard the link in it does the same. */
import { go } from '../state/location.ts'

/** Properties of a `tr`. @param link where it leads */
export function opens(link: string) {
  return {
    class: 'opens',
    onClick({ target }: MouseEvent): void {
      const isOwn = target instanceof Element && target.closest('a, button') !== null
      // Who marks a text wants to copy it.
      if (!isOwn && getSelection()?.isCollapsed !== false) go(link)
    },
  }
}
