/** Makes a table row a link for the mouse. For the keyboard, the row contains a link. */
import { navigate } from '../state/location.ts'

/** Returns the properties of a `tr` that opens a link. */
export function rowLink(link: string) {
  return {
    class: 'opens',
    onClick({ target }: MouseEvent): void {
      const hasOwnAction = target instanceof Element && target.closest('a, button, [popover]') !== null
      // A selection means that the user wants to copy text.
      if (!hasOwnAction && getSelection()?.isCollapsed !== false) navigate(link)
    },
  }
}
