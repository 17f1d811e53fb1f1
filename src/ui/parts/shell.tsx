/** Shows the frame of every screen: navigation, the user, and the state of the live connection. */

import {
  Cable,
  FileStack,
  Gauge,
  LogOut,
  type LucideIcon,
  Mail,
  Menu,
  Radio,
  Send,
  Server,
  SquareCode,
  Users,
} from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { liveState } from '../state/live.ts'
import { links, path } from '../state/location.ts'
import { session, signOut } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { AdminOnly } from './admin-only.tsx'
import { keepFocus } from './focus-keeper.ts'
import { Logo } from './logo.tsx'
import { Preferences } from './preferences.tsx'
import { Toasts } from './toasts.tsx'

type Screen = 'overview' | 'devices' | 'messages' | 'templates' | 'clients' | 'connections' | 'api' | 'system'

const SCREENS: readonly (readonly [name: Screen, icon: LucideIcon])[] = [
  ['overview', Gauge],
  ['devices', Radio],
  ['messages', Mail],
  ['templates', FileStack],
  ['clients', Users],
  ['connections', Cable],
  ['api', SquareCode],
  ['system', Server],
]

export function Shell({ children }: { children: ComponentChildren }) {
  const t = useTexts('shell')
  const [isOpen, setOpen] = useState(false)
  const content = useRef<HTMLElement>(null)
  const place = path.value
  useEffect(() => {
    setOpen(false)
    scrollTo(0, 0)
  }, [place])
  useEffect(() => (content.current ? keepFocus(content.current) : undefined), [])
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        {t.skip}
      </button>
      <header class="bar">
        <Logo />
        <LiveBadge />
        <button
          type="button"
          class="icon menu"
          aria-label={t.menu}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Menu size={20} aria-hidden="true" />
        </button>
      </header>
      <nav id="navigation" aria-label={t.main} class={isOpen ? 'open' : ''}>
        <AdminOnly>
          <a class="button send" href={links.send()} aria-keyshortcuts="c">
            <Send size={16} aria-hidden="true" /> {t.send} <kbd>c</kbd>
          </a>
        </AdminOnly>
        <ul>
          {SCREENS.map(([name, Icon]) => (
            <li key={name}>
              <a href={links[name]()} aria-current={isWithin(links[name](), place) ? 'page' : undefined}>
                <Icon size={17} aria-hidden="true" /> {t[name]}
              </a>
            </li>
          ))}
        </ul>
        <footer>
          <Preferences />
          <p class="who">
            <span class="id" title={session.value?.deviceId}>
              {session.value?.deviceId}
            </span>
            <button type="button" class="small quiet" onClick={() => signOut()}>
              <LogOut size={14} aria-hidden="true" /> {t.signOut}
            </button>
          </p>
        </footer>
      </nav>
      <main ref={content} tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </div>
  )
}

function isWithin(link: string, place: string): boolean {
  const base = link.slice(1)
  return base === '/' ? place === '/' : place === base || place.startsWith(`${base}/`)
}

/** Shows whether the page follows live changes. */
function LiveBadge() {
  const t = useTexts('shell')
  const state = liveState.value
  return (
    <span class={`live ${state}`} role="status">
      {t[state]}
    </span>
  )
}
