/** Shows the frame of every screen: navigation, notices, and the state of the live connection. */

import { Menu, Search } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { liveState } from '../state/live.ts'
import { path } from '../state/location.ts'
import { listenToKeys, useKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { keepFocus } from './focus-keeper.ts'
import { GlobalKeys, isPaletteOpen } from './global-keys.tsx'
import { Logo } from './logo.tsx'
import { Navigation, PhoneBar } from './navigation.tsx'
import { StaleBar } from './stale-bar.tsx'
import { Toasts } from './toasts.tsx'

export function Shell({ children }: { children: ComponentChildren }) {
  const t = useTexts('shell')
  const [isOpen, setOpen] = useState(false)
  const content = useRef<HTMLElement>(null)
  const place = path.value
  useEffect(() => {
    setOpen(false)
  }, [place])
  useEffect(() => (content.current ? keepFocus(content.current) : undefined), [])
  useEffect(listenToKeys, [])
  useKeys({
    Escape() {
      if (!isOpen) return false
      setOpen(false)
    },
  })
  const toggle = (): void => setOpen(!isOpen)
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
          class="icon search"
          aria-label={t.palette}
          aria-keyshortcuts="Control+K Meta+K"
          title={`${t.palette} (Ctrl+K)`}
          onClick={() => {
            isPaletteOpen.value = true
          }}
        >
          <Search size={18} aria-hidden="true" />
        </button>
        <button
          type="button"
          class="icon menu"
          aria-label={t.menu}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={toggle}
        >
          <Menu size={20} aria-hidden="true" />
        </button>
      </header>
      <Navigation isOpen={isOpen} />
      <main ref={content} tabIndex={-1}>
        {children}
      </main>
      <PhoneBar isOpen={isOpen} onMore={toggle} />
      <StaleBar />
      <Toasts />
      <BulkDialog />
      <GlobalKeys />
    </div>
  )
}

/** Shows whether the page follows live changes. */
function LiveBadge() {
  const t = useTexts('shell')
  const state = liveState.value
  return (
    <span class="live" data-state={state} role="status">
      {t[state]}
    </span>
  )
}
