/** Shows actions in a menu behind a button. An action may first ask a question in place of the menu. */
import { EllipsisVertical, type LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Popover } from './popover.tsx'
import { Question } from './question.tsx'

export interface MenuItem {
  readonly label: string
  readonly icon: LucideIcon
  readonly isDanger?: boolean
  /** True for an action with a question that becomes a separate button if the row has room. */
  readonly isButton?: boolean
  /** Place that the item opens; the item then needs no `run`. */
  readonly link?: string
  readonly run?: () => unknown
  readonly ask?: MenuQuestion
  /** Returns the text for an error of `run`; undefined for the general text. */
  readonly textFor?: (error: unknown) => string | undefined
}

export interface MenuQuestion {
  /** Describes the action and its object, with number and command. */
  readonly text: ComponentChildren
  /** Label of the button that changes nothing. Default: Close. */
  readonly dismiss?: string
}

interface MenuProps {
  readonly label: string
  readonly items: readonly MenuItem[]
}

export function Menu({ label, items }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState<MenuItem | 'menu' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon row-menu"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        onClick={() => setOpen('menu')}
      >
        <EllipsisVertical size={18} aria-hidden="true" />
      </button>
      {open === 'menu' && (
        <Popover anchor={button} role="menu" label={label} onClose={close}>
          <MenuItems items={items} onAsk={setOpen} close={close} />
        </Popover>
      )}
      {open !== 'menu' && open?.ask && (
        <Question
          anchor={button}
          action={open.label}
          dismiss={open.ask.dismiss}
          isDanger={open.isDanger}
          run={async () => open.run?.()}
          textFor={open.textFor}
          onDone={close}
          onClose={close}
        >
          <p>{open.ask.text}</p>
        </Question>
      )}
    </>
  )
}

interface ItemsProps {
  readonly items: readonly MenuItem[]
  /** Asks the question of an item that has one. */
  readonly onAsk?: (item: MenuItem) => void
  readonly close: () => void
}

export function MenuItems({ items, onAsk, close }: ItemsProps) {
  const choose = (item: MenuItem): void => {
    if (item.ask) onAsk?.(item)
    else {
      close()
      item.run?.()
    }
  }
  return (
    <ul role="none" class="menu-items" onKeyDown={moveFocus}>
      {items.map((item) => {
        const content = (
          <>
            <item.icon size={16} aria-hidden="true" /> {item.label}
          </>
        )
        return (
          <li key={item.label} role="none">
            {item.link === undefined ? (
              <button
                type="button"
                role="menuitem"
                class={item.isDanger ? 'danger' : ''}
                onClick={() => choose(item)}
              >
                {content}
              </button>
            ) : (
              <a role="menuitem" href={item.link} onClick={close}>
                {content}
              </a>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = STEPS[event.key]
  if (!step) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')]
  items[step(items.indexOf(document.activeElement as HTMLElement), items.length)]?.focus()
}
