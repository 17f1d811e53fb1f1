/**
 * Shows content beside a button, over the page. A click elsewhere or Escape closes it. On a phone it is a sheet at the
 * bottom.
 */
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { placeOf, returnFocus } from './focus-keeper.ts'

interface PopoverProps {
  readonly anchor: RefObject<HTMLElement>
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly role?: 'dialog' | 'alertdialog' | 'menu'
  readonly class?: string
}

/** Minimum distance to the edges of the window, and distance to the anchor, in pixels. */
const MARGIN = 8
const GAP = 4

/** Shows the content as long as it is rendered. The first field, or the element with `data-safe`, gets the focus. */
export function Popover({ anchor, label, onClose, children, role = 'dialog', ...props }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useLayoutEffect(() => {
    const element = box.current
    const opener = anchor.current
    if (!element) return
    const place = opener && placeOf(opener)
    element.showPopover()
    placeAt(element, opener)
    const target = element.querySelector<HTMLElement>('[data-safe], input, select, button, a[href]')
    target?.focus()
    const onToggle = ({ newState }: ToggleEvent): void => {
      if (newState === 'closed') close.current()
    }
    const onResize = (): void => placeAt(element, opener)
    element.addEventListener('toggle', onToggle)
    addEventListener('resize', onResize)
    return () => {
      element.removeEventListener('toggle', onToggle)
      removeEventListener('resize', onResize)
      const hadFocus = element.contains(document.activeElement) || document.activeElement === document.body
      if (element.matches(':popover-open')) element.hidePopover()
      if (hadFocus) returnFocus(opener, place)
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles supports a label
    <div ref={box} popover="auto" role={role} aria-label={label} class={`popover ${props.class ?? ''}`}>
      {children}
    </div>
  )
}

/** Places the content below the anchor, or above it without room, and within the window. */
function placeAt(element: HTMLElement, anchor: HTMLElement | null): void {
  if (!anchor) return
  const { left, right, top, bottom } = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = element
  const isRight = (left + right) / 2 > innerWidth / 2
  const x = Math.min(Math.max(isRight ? right - width : left, MARGIN), innerWidth - width - MARGIN)
  const isBelow = bottom + GAP + height + MARGIN <= innerHeight || top < height + GAP + MARGIN
  const y = isBelow ? Math.min(bottom + GAP, innerHeight - height - MARGIN) : top - GAP - height
  element.style.setProperty('--x', `${Math.max(x, MARGIN)}px`)
  element.style.setProperty('--y', `${Math.max(y, MARGIN)}px`)
}
