/** Hides controls that role READER may not use. The server checks each request itself. */
import type { ComponentChildren } from 'preact'
import { mayChange } from '../state/session.ts'

export function AdminOnly({ children }: { children: ComponentChildren }) {
  return mayChange.value ? children : null
}
